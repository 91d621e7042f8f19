"""Tables for a terminal and for a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def as_text(lines: Sequence[Sequence[str]]) -> str:
    """Lines of cells, the first of them names, in columns that end together."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def as_markdown(lines: Sequence[Sequence[str]], n_left: int) -> str:
    """Write the same as a pipe table, all but the first columns to the right."""
    names, *body = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    rule = ["---"] * n_left + ["---:"] * (len(names) - n_left)
    return "\n".join(f"| {' | '.join(line)} |" for line in (names, rule, *body))


def as_html(lines: Sequence[Sequence[str]], caption: str, legend: str) -> str:
    """Write the same as an HTML table, a caption above and a legend below."""
    names, *body = lines
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in line)}</tr>" for line in body
    )
    return (
        '<table style="text-align: right; border-spacing: 1em 0.2em">'
        f'<caption style="text-align: left">{escape(caption)}'
        f"</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"<p><small>{escape(legend)}</small></p>"
    )
