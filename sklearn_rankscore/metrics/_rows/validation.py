"""Arrays and parameters in, clear errors out."""

import sys
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rankscore._foreign import is_array, is_extension_column, keep_exact
from sklearn_rankscore._messages import describe
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._rows.ids import as_objects, describe_missing_id, encode_objects

Check = Callable[[Any, str], Any]  # of a value and of the name of its parameter

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


def as_numbers(values: Any, name: str, *, missing: bool = False) -> Array:
    """Turn an array-like of any library into real numbers; refuse NaN unless `missing`."""
    if sparse.issparse(values):
        raise TypeError(
            f"{name} must be a dense array. Got a sparse {type(values).__name__} instead; "
            f"a row that is not stored has no score. Pass {name}.toarray()."
        )
    if isinstance(values, Mapping):
        raise TypeError(
            f"{name} must have one value per row. Got a dict instead. To join judgements and a "
            "run, write a row for each document that is in either: grade 0 if nobody has judged "
            "it, score -inf if the run has not found it."
        )
    masked = isinstance(values, np.ma.MaskedArray)
    try:
        held = values if isinstance(values, np.ndarray) else keep_exact(values)
        array = np.ma.getdata(held) if masked else np.asarray(held)
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
    if not missing and (masked or array.dtype.kind == "f"):
        n_missing = _count_missing(values, array)
        if n_missing:
            raise ValueError(
                f"{name} must not be missing. Got NaN in {n_missing} of {array.size} values. "
                f"{_NAN_CURE.get(name, 'Drop those rows.')}"
            )
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def check_not_masked(values: Any, name: str) -> None:
    """Refuse masked values, which most of NumPy would read as values."""
    masked = np.ma.isMaskedArray(values) and int(np.ma.getmaskarray(values).sum())
    if masked:
        raise ValueError(
            f"{name} must not be missing. Got {masked} masked values. Drop those rows."
        )


def _from_objects(array: Array, name: str) -> Array:
    try:  # NumPy takes None for NaN, and does not know the NA of pandas
        known = [None if type(one).__name__ == "NAType" else one for one in array.flat]
        return np.array(known, dtype=object).astype(np.float64).reshape(array.shape)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"{name} must hold real numbers and nothing missing. Got a column of mixed "
            f"objects instead ({error})."
        ) from error


def _count_missing(values: Any, array: Array) -> int:
    """Count the values that are NaN or masked."""
    if np.ma.isMaskedArray(values):
        return int(np.count_nonzero(np.ma.getmaskarray(values) | np.isnan(array)))
    if not array.size or not np.isnan(array.min()):
        return 0
    return int(np.count_nonzero(np.isnan(array)))


def as_grades(values: Any, *, unjudged: bool = False) -> Array:
    """Read relevance grades, finite, of any sign: integers in 16 bits if they fit, else floats.

    With `unjudged`, a grade that is NaN, -inf or masked says that nobody has judged the row, and
    becomes NaN.
    """
    if np.ma.isMaskedArray(values) and unjudged:
        nothing: Any = None
        values = np.where(np.ma.getmaskarray(values), nothing, np.ma.getdata(values))
    grades = as_numbers(values, "y_true", missing=unjudged)
    if unjudged:
        grades = grades.astype(np.float64)
        if np.isposinf(grades).any():
            raise ValueError("y_true must be finite, or NaN where nobody has judged. Got inf.")
        return np.where(np.isneginf(grades), np.nan, grades)
    if grades.dtype.kind != "f":
        return _in_16_bits(grades)
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


def _in_16_bits(grades: Array) -> Array:
    """Cast whole numbers to 16 bits, a quarter of the memory; to floats where one does not fit.

    Work piece by piece, so that each piece is still in the processor's cache when it is cast.
    """
    flat = grades.ravel()
    short = np.empty(flat.shape, dtype=np.int16)
    for begin in range(0, flat.size, _PIECE):
        piece = flat[begin : begin + _PIECE]
        if int(piece.min()) < -_SHORT or int(piece.max()) > _SHORT:
            return grades.astype(np.float64)
        short[begin : begin + _PIECE] = piece
    return short.reshape(grades.shape)


def as_scores(values: Any) -> Array:
    """Read scores as floats that keep the very order of the input's own precision."""
    scores = as_numbers(values, "y_score")
    if not isinstance(values, np.ndarray) or values.dtype == object:
        objects = _find_finer_numbers(values, scores)
        if objects is not None:
            return _spread_apart(objects)
    if scores.dtype in (np.float32, np.float64):
        return scores
    if scores.dtype.itemsize <= 2:  # bool, (u)int8, (u)int16, float16
        return scores.astype(np.float32)
    if scores.dtype.kind in "iu" and scores.size:
        low, high = int(scores.min()), int(scores.max())
        if low >= -_EXACT and high <= _EXACT:
            return scores.astype(np.float64)
    with np.errstate(over="ignore", under="ignore"):
        rounded = scores.astype(np.float64)
    if scores.dtype.kind == "f" and np.array_equal(scores, rounded):
        return rounded
    return _spread_apart(scores)


def _find_finer_numbers(values: Any, scores: Array) -> Array | None:
    """Give decimals, fractions, long integers as objects, if floats do not tell them apart."""
    held = keep_exact(values)
    objects = np.asarray(held)
    if objects.dtype != object:  # NumPy makes floats of long integers beside negative ones
        if not isinstance(held, list) or not (np.abs(scores) > _EXACT).any():
            return None
        objects = np.array(held, dtype=object)
    if objects.shape != scores.shape or all(type(one) is float for one in objects.flat):
        return None
    return None if len(set(objects.flat)) == len(np.unique(scores)) else objects


def _spread_apart(scores: Array) -> Array:
    """Round scores that are too fine for float64, and keep different scores different."""
    distinct, place = np.unique(scores, return_inverse=True)
    largest = np.finfo(np.float64).max
    with np.errstate(over="ignore"):
        near = distinct.astype(np.float64)
        if distinct.dtype != object:
            near = np.where(np.isinf(distinct), near, np.clip(near, -largest, largest))
    bits = near.view(np.int64)
    rising = bits ^ ((bits >> 63) & np.iinfo(np.int64).max)  # integers in the order of the floats
    step = np.arange(len(rising))
    rising = np.maximum.accumulate(rising - step) + step
    bits = rising ^ ((rising >> 63) & np.iinfo(np.int64).max)
    return np.asarray(bits.view(np.float64)[place].reshape(scores.shape))


def encode_ids(ids: Any, name: str) -> tuple[Array, Array | None]:
    """Give comparable codes of ids, and the ids by code; None where the codes are the ids."""
    if not isinstance(ids, np.ndarray):
        if is_extension_column(ids) and ids.dtype.kind != "f":
            return encode_objects(ids, name)  # by pandas, which is quicker than a loop
        array = _read_ids(ids, name)
    else:
        array = np.asarray(ids)
    if np.ma.isMaskedArray(ids) and np.ma.getmaskarray(ids).any():
        raise ValueError(describe_missing_id(name, int(np.ma.getmaskarray(ids).argmax())))
    if array.ndim != 1:
        raise ValueError(
            f"{name} must have one id per row, shape (n_rows,). Got shape {array.shape} instead."
        )
    if array.dtype.kind in "OTV":
        return encode_objects(array, name)
    if array.dtype.kind in "fcmM" and (array != array).any():  # noqa: PLR0124 - NaN and NaT
        row = int(np.flatnonzero(array != array)[0])  # noqa: PLR0124
        raise ValueError(describe_missing_id(name, row))
    return array, None


def _read_ids(ids: Any, name: str) -> Array:
    """Read ids that are no array of NumPy."""
    if is_extension_column(ids):
        # Not by the hash tables of Arrow, which tell two zeros apart and take NaN for an id.
        return np.asarray(ids.to_numpy(dtype=np.float64, na_value=np.nan))
    # A list becomes objects: NumPy would turn [1, "1"] into two equal strings.
    return np.asarray(keep_exact(ids)) if is_array(ids) else as_objects(ids, name)


def as_similarities(values: Any, name: str, n_rows: int) -> Array:
    """Read one number per row, from -1 to 1."""
    numbers = as_numbers(values, name)
    check_same_length(name, numbers.size, n_rows)
    numbers = numbers.ravel().astype(np.float64)
    if not (np.abs(numbers) <= 1 + 1e-9).all():  # a cosine, rounded
        raise ValueError(
            f"{name} must be from -1 to 1. Got {numbers[np.abs(numbers).argmax()]:g} instead."
        )
    return numbers


def check_same_length(name: str, length: int, n_rows: int) -> None:
    """Refuse an array that does not have one value per row."""
    if length != n_rows:
        hint = ""
        if "qid" in name:
            hint = " Query ids are wanted, one per row, not group sizes."
            if length > n_rows:  # there are never more queries than rows
                hint = (
                    " If a step before drops rows, as a sampler does, carry the ids as a column "
                    "of X, where it drops them too."
                )
        elif name in ("item_features", "popularity"):
            hint = " If its lines belong to items and not to rows, pass item=… as well."
        raise ValueError(
            f"{name} must have one value per row. Got {length} values for {n_rows} rows instead."
            f"{hint}"
        )


def check_choice(value: Any, parameter: str, choices: Iterable[str], other: str = "") -> Any:
    """Refuse a value that is not among the choices."""
    choices = tuple(choices)
    if not (isinstance(value, str) and value in choices):
        listed = ", ".join(map(repr, choices)) + (f", {other}" if other else "")
        raise ValueError(f"{parameter} must be one of {listed}. Got {describe(value)} instead.")
    return value


def check_positive_integer(value: Any, parameter: str, other: str = "") -> int:
    """Refuse a value that is not one of 1, 2, 3, …, of Python or NumPy."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(
            f"{parameter} must be a positive integer{other}. Got {describe(value)} instead."
        )
    return int(value)


def one_of(*choices: str, other: str = "") -> Check:
    """Make a check for one of these texts."""
    return lambda value, parameter: check_choice(value, parameter, choices, other)


def one_of_or_callable(*choices: str, other: str) -> Check:
    """Make a check for one of these texts, or a callable."""
    check = one_of(*choices, other=other)
    return lambda value, parameter: value if callable(value) else check(value, parameter)


def number_that(holds: Callable[[float], bool], wanted: str) -> Check:
    """Make a check for a real number for which a condition holds; `wanted` names the condition."""

    def check(value: Any, parameter: str) -> float:
        number = as_real(value)
        if not holds(number):
            raise ValueError(f"{parameter} must be {wanted}. Got {describe(value)} instead.")
        return number

    return check


def as_real(value: Any) -> float:
    """Read a number as it is written: float32(0.1) is 0.1; anything else is NaN."""
    if isinstance(value, np.floating):
        return float(str(value))
    if isinstance(value, bool) or not isinstance(value, Real):
        return np.nan
    try:
        return float(value)
    except OverflowError:
        return np.inf


def check_cutoff(value: Any, parameter: str) -> int:
    """Refuse a value that is not a cutoff; lower a huge one to the largest that NumPy counts."""
    k = check_positive_integer(value, parameter, ", or None for the whole list")
    return min(k, sys.maxsize)
