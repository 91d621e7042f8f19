"""Tables of text, for a terminal, for Markdown and for a notebook."""

from collections.abc import Sequence
from html import escape


def as_text(lines: Sequence[Sequence[str]]) -> str:
    """Write lines of cells as aligned columns; the first line holds the names."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def as_markdown(lines: Sequence[Sequence[str]], n_left: int) -> str:
    """Write lines of cells as a pipe table; align the first `n_left` columns to the left."""
    names, *body = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    rule = ["---"] * n_left + ["---:"] * (len(names) - n_left)
    return "\n".join(f"| {' | '.join(line)} |" for line in (names, rule, *body))


def as_html(lines: Sequence[Sequence[str]], caption: str, legend: str) -> str:
    """Write lines of cells as an HTML table with a caption above and a legend below."""
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
