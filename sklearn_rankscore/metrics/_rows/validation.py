"""Arrays in, clear errors out: numbers that a ranking can be computed from."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

Array = np.ndarray[Any, np.dtype[Any]]

# float64 holds every integer up to here, so a cast keeps their order.
_EXACT = 2**53
# Gains, and their products with discounts, can be added up below this.
LARGEST = 1e150
_SHORT = 2**15 - 1
_PIECE = 1 << 16

_NAN_CURE = {
    "y_true": "Drop the unjudged rows, or grade them 0.",
    "y_score": "A model that returns NaN has no ranking; to say that a row was not retrieved, "
    "give it the score -inf.",
}


def as_numbers(values: Any, name: str) -> Array:
    """Turn array-likes of any library into an array of real numbers without NaN."""
    if sparse.issparse(values):
        raise TypeError(
            f"{name} must be a dense array. Got a sparse {type(values).__name__} instead; "
            f"a row that is not stored has no score. Pass {name}.toarray()."
        )
    try:
        array = np.ma.getdata(values) if np.ma.isMaskedArray(values) else np.asarray(values)
        if array.dtype == object:  # nullable and mixed columns: let NumPy look at the values
            array = np.array(array.tolist())
    except ValueError as error:
        hint = "; for queries of different lengths pass flat arrays and qid=…"
        raise ValueError(
            f"{name} must have rows of one length. Got {type(values).__name__} of uneven rows "
            f"instead{hint if name.startswith('y') else ''}."
        ) from error
    if array.dtype == object:
        array = _from_objects(array, name)
    if array.dtype.kind not in "biuf":
        hint = "; text and dates have no order of relevance, encode them as grades first."
        raise ValueError(
            f"{name} must hold real numbers. Got dtype {array.dtype} instead"
            f"{hint if name.startswith('y') else '.'}"
        )
    missing = _missing(values, array)
    if missing:
        raise ValueError(
            f"{name} must not be missing. Got NaN in {missing} of {array.size} values. "
            f"{_NAN_CURE.get(name, 'Drop those rows.')}"
        )
    return array


def check_not_masked(values: Any, name: str) -> None:
    """Refuse masked values, which most of NumPy reads as if they were there."""
    masked = np.ma.isMaskedArray(values) and int(np.ma.getmaskarray(values).sum())
    if masked:
        raise ValueError(
            f"{name} must not be missing. Got {masked} masked values. Drop those rows."
        )


def without_zone(dates: Any) -> Any:
    """Dates of pandas in UTC where they have a time zone: as an array those would be objects."""
    accessor = getattr(dates, "dt", dates)
    try:
        zoned = accessor.tz is not None
    except (AttributeError, NotImplementedError):  # no dates of pandas, or days of Arrow
        return dates
    return accessor.tz_convert(None) if zoned else dates


def _from_objects(array: Array, name: str) -> Array:
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"{name} must hold real numbers and nothing missing. Got a column of mixed "
            f"objects instead ({error})."
        ) from error


def _missing(values: Any, array: Array) -> int:
    """Count the values that are NaN or masked."""
    if np.ma.isMaskedArray(values):
        return int(np.count_nonzero(np.ma.getmaskarray(values) | np.isnan(array)))
    if array.dtype.kind != "f" or not array.size or not np.isnan(array.min()):
        return 0
    return int(np.count_nonzero(np.isnan(array)))


def as_grades(values: Any, *, unjudged: bool = False) -> Array:
    """Relevance grades, finite, of any sign; integers in 16 bits if they fit, else floats.

    With `unjudged`, NaN, -inf and masked grades are of rows that nobody has judged, and NaN.
    """
    if unjudged:
        return _with_unjudged(values)
    grades = as_numbers(values, "y_true")
    if grades.dtype.kind != "f":
        return _short(grades)
    if grades.dtype not in (np.float16, np.float32):  # kept, to be compared in their precision
        with np.errstate(over="ignore"):
            grades = grades.astype(np.float64, copy=False)
    if grades.size and max(float(grades.max()), -float(grades.min())) > LARGEST:
        largest = grades.ravel()[np.abs(grades).argmax()]
        raise ValueError(
            f"y_true must be finite and no grade above {LARGEST:g}, so that gains can be added "
            f"up. Got {largest:g} instead."
        )
    return grades


def _short(grades: Array) -> Array:
    """Cast whole numbers to 16 bits, a quarter of the memory; to floats where one does not fit.

    Piece by piece, so that what is looked at and cast is still in the processor's cache.
    """
    flat = grades.ravel()
    short = np.empty(flat.shape, dtype=np.int16)
    for begin in range(0, flat.size, _PIECE):
        piece = flat[begin : begin + _PIECE]
        if int(piece.min()) < -_SHORT or int(piece.max()) > _SHORT:
            return grades.astype(np.float64)
        short[begin : begin + _PIECE] = piece
    return short.reshape(grades.shape)


def _with_unjudged(values: Any) -> Array:
    if np.ma.isMaskedArray(values):
        plain = np.array(np.ma.getdata(values), dtype=object)
        plain[np.ma.getmaskarray(values)] = None
        values = plain
    try:
        array = as_numbers(values, "y_true") if sparse.issparse(values) else np.asarray(values)
    except ValueError:
        array = as_numbers(values, "y_true")  # which says what is wrong
    if array.dtype == object:
        known = [np.nan if _is_unknown(value) else value for value in array.flat]
        array = np.array(known, dtype=object).reshape(array.shape)
        array = _from_objects(array, "y_true")
    if array.dtype.kind not in "biuf":
        array = as_numbers(array, "y_true")
    grades = array.astype(np.float64)
    if np.isposinf(grades).any():
        raise ValueError("y_true must be finite, or NaN where nobody has judged. Got inf instead.")
    return np.where(np.isneginf(grades), np.nan, grades)


def _is_unknown(grade: Any) -> bool:
    return grade is None or type(grade).__name__ == "NAType"


def as_scores(values: Any) -> Array:
    """Scores as floats in the very order of the input's own precision."""
    scores = as_numbers(values, "y_score")
    if scores.dtype in (np.float32, np.float64):
        return scores
    if scores.dtype.itemsize <= 2:  # bool, (u)int8, (u)int16, float16
        return scores.astype(np.float32)
    if scores.dtype.kind in "iu" and scores.size:
        low, high = int(scores.min()), int(scores.max())
        if low >= -_EXACT and high <= _EXACT:
            return scores.astype(np.float64)
    elif scores.dtype.kind == "f":
        with np.errstate(over="ignore", under="ignore"):
            rounded = scores.astype(np.float64)
        if np.array_equal(scores, rounded):
            return rounded
    # Too fine for float64: their ranks have the same order and are small integers.
    codes = np.unique(scores, return_inverse=True)[1].reshape(scores.shape).astype(np.float64)
    return np.where(np.isinf(scores), scores, codes).astype(np.float64)
