"""What `scripts.make_demo` needs: talks, voices, joins and the clock of every word."""
