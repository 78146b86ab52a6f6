"""A report as one HTML file that needs nothing else: pictures inside, links to the moments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from eval.parts import Picture, Section, Table

_MOMENT = re.compile(r"(?<![\w@])([A-Za-z0-9_-]{11})@(\d+(?:\.\d+)?)")
_CSS = """
body{font:15px/1.5 system-ui,sans-serif;color:#1c2733;background:#fff;margin:2rem auto;max-width:75rem;padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.15rem;margin-top:2.2rem;border-bottom:1px solid #dfe5ea;padding-bottom:.3rem}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.82rem;margin:.8rem 0}
th,td{padding:.25rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid #eef1f4}
th{color:#5b6874;font-weight:600;white-space:nowrap}td{max-width:26rem}td.n{white-space:nowrap}
img{max-width:100%;height:auto;display:block;margin:.8rem 0}a{color:#1f6f8b}nav a{margin-right:1rem}
"""


def page(title: str, sections: Sequence[Section]) -> str:
    contents = "".join(f'<a href="#s{at}">{escape(section.title)}</a> ' for at, section in enumerate(sections, 1))
    body = "".join(_section(at, section) for at, section in enumerate(sections, 1))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_CSS}</style></head>'
        f"<body><h1>{title}</h1><nav>{contents}</nav>{body}</body></html>\n"
    )


def _section(at: int, section: Section) -> str:
    parts = "".join(_part(part) for part in section.parts)
    return f'<section id="s{at}"><h2>{escape(section.title)}</h2>{parts}</section>'


def _part(part: Table | Picture | str) -> str:
    if isinstance(part, Picture):
        return f'<img alt="{escape(part.alt)}" src="{part.source}">'
    if isinstance(part, str):
        return f"<p>{escape(part)}</p>"
    head = "".join(f"<th>{escape(cell)}</th>" for cell in part.head)
    rows = "".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in part.rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def _cell(text: str) -> str:
    kind = ' class="n"' if text[:1].isdigit() and len(text) < 30 else ""
    return f"<td{kind}>{_linked(text)}</td>"


def _linked(text: str) -> str:
    return _MOMENT.sub(
        lambda found: (
            f'<a href="https://www.youtube.com/watch?v={found[1]}&amp;t={int(float(found[2]))}s">'
            f"{found[1]} at {float(found[2]):.0f} s</a>"
        ),
        escape(text),
    )
