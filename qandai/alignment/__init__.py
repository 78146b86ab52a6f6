"""How `align` finds a quote: what the same wording is, an index over words, and the ends set word by word."""
