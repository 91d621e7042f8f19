"""Tables of text, for a terminal, for Markdown and for a notebook."""

import re
from collections.abc import Sequence
from html import escape


def as_printable(text: str) -> str:
    """Write control characters as Python's escapes, so that no name drives a terminal."""
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)


def as_text(lines: Sequence[Sequence[str]]) -> str:
    """Write lines of cells as aligned columns; the first line holds the names."""
    lines = [[as_printable(cell) for cell in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def as_markdown(lines: Sequence[Sequence[str]], n_left: int) -> str:
    """Write lines of cells as a pipe table; align the first `n_left` columns to the left."""
    names, *body = ([_escape_markdown(as_printable(cell)) for cell in line] for line in lines)
    rule = ["---"] * n_left + ["---:"] * (len(names) - n_left)
    return "\n".join(f"| {' | '.join(line)} |" for line in (names, rule, *body))


def _escape_markdown(cell: str) -> str:
    """Let a cell mean its letters: no emphasis, link, formula or HTML, no end of the cell."""
    cell = re.sub(r"[\\`*$~\[\]]|(?<=\])\(|(?<!\w)_|_(?!\w)", r"\\\g<0>", cell)
    return cell.replace("<", "&lt;").replace("|", "&#124;")


def as_html(lines: Sequence[Sequence[str]], caption: str, legend: str) -> str:
    """Write lines of cells as an HTML table with a caption above and a legend below."""
    names, *body = [[as_printable(cell) for cell in line] for line in lines]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in line)}</tr>" for line in body
    )
    return (
        '<table style="text-align: right; border-spacing: 1em 0.2em; white-space: nowrap">'
        f'<caption style="text-align: left">{escape(caption)}'
        f"</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"<p><small>{escape(legend)}</small></p>"
    )
