"""Words for error messages: a wrong value, an id, the name that was meant, where it happened."""

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

_LONGEST = 80


def describe(value: Any) -> str:
    """Write a wrong value for an error message; shorten one that is long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({type(value).__name__})"


def format_id(query: Any) -> str:
    """Write an id as its user would, not as NumPy does."""
    return repr(query.item() if isinstance(query, np.generic) else query)


def suggest(name: str, known: Iterable[Any], parameter: str = "") -> str:
    """Ask whether the nearest known name was meant; nothing if none is near."""
    near = difflib.get_close_matches(name, [*map(str, known)], n=1)
    return f" Did you mean {parameter}{near[0]!r}?" if near else ""


@contextmanager
def error_context(note: str) -> Iterator[None]:
    """Add a note to an error that says where the error happened."""
    try:
        yield
    except (TypeError, ValueError) as error:
        error.add_note(note)
        raise
