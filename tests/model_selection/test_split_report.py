"""split_report: counts by hand, verdicts, and the leak that it is for."""

from html.parser import HTMLParser

import numpy as np
import pytest
from carriers import by_hand
from conftest import needs
from estimators import ByColumn
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    ShuffleSplit,
    StratifiedGroupKFold,
    TimeSeriesSplit,
    cross_validate,
)

from sklearn_rankscore import (
    QueryKFold,
    RankTarget,
    TemporalSplit,
    get_metric,
    make_rank_scorer,
    ndcg,
    split_report,
)

RNG = np.random.default_rng(0)
QID = np.repeat(np.arange(200), 20)
Y = np.zeros(QID.size, dtype=int)
for query in range(200):  # a few relevant rows in each query
    Y[query * 20 + RNG.choice(20, 4, replace=False)] = [1, 1, 2, 3]
X = RNG.standard_normal((QID.size, 2))
TIMES = RNG.permutation(200)[QID]


def counts(cv, X, y, qid, times=None):
    """Every count of every fold, row by row."""
    for train, test in cv:
        cut = [q for q in set(qid[test]) if not set(np.flatnonzero(qid == q)) <= set(test)]
        undefined = [q for q in set(qid[test]) if not y[test][qid[test] == q].any()]
        future = None
        if times is not None:
            future = sum(times[row] >= min(times[test]) for row in train)
        yield (
            len(train),
            len(test),
            len(set(qid[train])),
            len(set(qid[test])),
            len(cut),
            len(undefined),
            len(set(train) & set(test)),
            future,
        )


@pytest.mark.parametrize(
    "cv",
    [
        QueryKFold(3),
        KFold(3),
        KFold(4, shuffle=True, random_state=0),
        ShuffleSplit(3, random_state=0),
        TimeSeriesSplit(3),
        TemporalSplit(3),
        TemporalSplit(3, queries="any"),
        5,
    ],
    ids=repr,
)
@pytest.mark.parametrize("timed", [False, True])
def test_counts_are_those_of_the_folds(cv, timed):
    """Rows, queries, cut and undefined ones, rows of the future, repeated rows."""
    times = np.maximum(0, TIMES - RNG.integers(0, 3, QID.size))
    timed = timed or isinstance(cv, TemporalSplit)
    y = RankTarget(Y, qid=QID, times=times) if timed else RankTarget(Y, qid=QID)
    report = split_report(cv, X, y)
    folds = list((KFold(5) if cv == 5 else cv).split(X, y))
    want = list(counts(folds, X, Y, QID, times if timed else None))
    assert [tuple(fold[:-1]) for fold in report.folds] == want
    for fold, (_, test) in zip(report.folds, folds, strict=True):
        assert abs(fold.chance - chance_by_hand(test)) < 1e-12
    assert abs(report.chance - chance_by_hand(np.arange(Y.size))) < 1e-12


def chance_by_hand(rows):
    """Mean over the queries that have a relevant row there, all scores tied."""
    found = [q for q in set(QID[rows]) if Y[rows][QID[rows] == q].any()]
    kept = rows[np.isin(QID[rows], found)]
    return by_hand(Y[kept], np.zeros(kept.size), QID[kept])


def test_it_shows_the_leak_of_a_shuffled_k_fold():
    """A random model scores far more on parts of queries; the report says by how much."""
    cv = KFold(5, shuffle=True, random_state=0)
    y = RankTarget(Y, qid=QID)
    report = split_report(cv, X, y)
    assert not report.honest
    assert "parts of them are scored (988 of 988 in test)" in report.verdict
    assert "use cv=QueryKFold(…)" in report.verdict
    leak = np.mean([fold.chance for fold in report.folds])
    # Column 1 is noise, a random model: what it scores in a search is what the report foretells.
    scorer = make_rank_scorer("ndcg@10", replace_undefined_by=np.nan, on_split_query="ignore")
    cut, whole = (
        cross_validate(ByColumn(1), X, y, cv=splitter, scoring=scorer)["test_score"].mean()
        for splitter in (cv, QueryKFold(5))
    )
    assert abs(leak - cut) < 0.03
    assert abs(report.chance - whole) < 0.03
    assert leak > report.chance + 0.2
    assert split_report(QueryKFold(5), X, y).honest


def test_verdicts():
    """Each kind of fault, each cure, and none."""
    y = RankTarget(Y, qid=QID)
    timed = RankTarget(Y, qid=QID, times=TIMES)
    assert split_report(QueryKFold(5), X, y).verdict == "Honest: no query is cut."
    report = split_report(TemporalSplit(3), X, timed)
    assert report.honest
    assert report.verdict == "Honest: no query is cut, and no row of train is from the future."
    report = split_report(QueryKFold(5), X, timed)
    assert not report.honest
    assert "are not before the first test row" in report.verdict
    assert "use cv=TemporalSplit(…)" in report.verdict
    assert "cut" not in report.verdict
    # Users who live on both sides of a cut-off are cut, but nothing is known too early.
    report = split_report(TemporalSplit(3, queries="any"), X, y, times=np.arange(Y.size) % 50)
    assert report.honest
    assert report.verdict.startswith("Honest in time: no row of train is from the future. Parts")
    assert "Parts of queries are scored (360 of 360 in test)" in report.verdict
    report = split_report([(np.arange(40), np.arange(20, 60))], X, y)
    assert "rows stand in train and in test of the same fold (20)" in report.verdict
    lost = RankTarget(np.where(QID < 50, 0, Y), qid=QID)
    report = split_report(QueryKFold(4), X, lost)
    assert report.verdict.endswith("without a value score 0 (50 of 200 in test).")


@pytest.mark.parametrize(
    "cv",
    [
        GroupKFold(4),
        GroupShuffleSplit(2, random_state=0),
        StratifiedGroupKFold(4),
        QueryKFold(4),
        PredefinedSplit(QID % 3),
        list(GroupKFold(3).split(X, Y, QID)),
    ],
    ids=lambda cv: type(cv).__name__,
)
def test_splitters_get_the_ids(cv):
    """As groups, if a splitter requests no ids."""
    assert split_report(cv, X, RankTarget(Y, qid=QID)).honest
    assert split_report(cv, X, Y, qid=QID).honest


def test_splitters_get_the_groups():
    """Where they are given."""
    y = RankTarget(Y, qid=QID)
    assert split_report(QueryKFold(4), X, y, groups=QID // 10).honest
    assert not split_report(GroupKFold(4), X, y, groups=np.arange(Y.size)).honest


def test_ids_and_times_by_name():
    """As the splitter finds them, or by a name of one's own."""
    frame = needs("pandas").DataFrame(X).assign(user=QID, day=TIMES)
    cv = TemporalSplit(3, times="day", qid="user")
    assert split_report(cv, frame, Y).honest
    assert split_report(QueryKFold(3, qid="user"), frame, Y).folds[0].future_rows is None
    report = split_report(QueryKFold(3, qid="user"), frame, Y, times="day")
    assert report.folds[0].future_rows > 0
    assert split_report(KFold(5), frame, Y, qid="user").honest  # 200 queries of 20, in order
    with pytest.raises(ValueError, match="split_report found no query ids"):
        split_report(KFold(5), frame, Y)
    with pytest.raises(ValueError, match="split_report found no times"):
        split_report(KFold(5), frame, Y, qid="user", times="month")


class _Tables(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.cells, self.text = [], [], ""

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.cells.append(data)


def test_it_prints_in_a_terminal_and_a_notebook():
    """The same cells in both; no line is longer than a terminal."""
    report = split_report(KFold(3), X, RankTarget(Y, qid=QID, times=TIMES), metric="map@5")
    text = repr(report)
    assert max(map(len, text.splitlines())) <= 100
    parser = _Tables()
    parser.feed(report._repr_html_())
    assert parser.open == []
    header, *lines = (line.split("  ") for line in text.splitlines()[:4])
    assert [cell.strip() for line in (header, *lines) for cell in line if cell.strip()] == (
        parser.cells
    )
    assert report.verdict in parser.text
    assert "without a value of average_precision@5" in parser.text
    frame = report.to_frame() if needs("pandas") else None
    assert frame["cut_queries"].tolist() == [fold.cut_queries for fold in report.folds]
    assert frame.index.name == "fold"
    assert ndcg.name in split_report(2, X, RankTarget(Y, qid=QID)).metric


class Foreign:
    """Splitter of another library: takes groups, knows no routing, has attributes of its own."""

    times = 5

    def get_n_splits(self, X=None, y=None, groups=None):
        return 3

    def split(self, X, y=None, groups=None):
        cv = KFold(3, shuffle=True, random_state=0) if groups is None else GroupKFold(3)
        return cv.split(X, y, groups)


def test_splitters_of_other_libraries():
    """Groups are passed on where they are given."""
    y = RankTarget(Y, qid=QID)
    assert split_report(Foreign(), X, y, groups=QID).honest
    assert not split_report(Foreign(), X, y).honest


def test_groups_do_not_hide_the_ids():
    """A splitter that asks for ids gets them beside groups."""
    cv = TemporalSplit(2, disjoint=True)
    report = split_report(cv, X, Y, qid=QID, times=TIMES, groups=QID)
    assert report.honest


def test_parts_as_masks():
    """As scikit-learn takes them."""
    y = RankTarget(Y, qid=QID)
    mask = QID < 100
    report = split_report([(mask, ~mask)], X, y)
    assert (
        report.folds == split_report([(np.flatnonzero(mask), np.flatnonzero(~mask))], X, y).folds
    )


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        ([(QID < 100, [])], "Got an empty part"),
        ([(np.array([]), QID < 100)], "Got an empty part"),
        ([], "at least one fold"),
    ],
    ids=["no test", "no train", "no folds"],
)
def test_parts_without_rows(folds, message):
    """Refused."""
    with pytest.raises(ValueError, match=message):
        split_report(folds, X, RankTarget(Y, qid=QID))


def test_rows_that_stand_twice_in_test():
    """A query with a row twice is not whole, as a scorer says too."""
    y = RankTarget(Y, qid=QID)
    test = np.r_[np.arange(40), 3]
    report = split_report([(np.arange(40, 80), test)], X, y)
    assert report.folds[0].cut_queries == 1
    assert not report.honest


def test_folds_without_a_relevant_row():
    """Have no chance, and spoil no mean; if all are such, nothing is said of it."""
    report = split_report(KFold(2), np.zeros((4, 1)), [0, 0, 0, 1], qid=[1, 2, 1, 2])
    assert np.isnan(report.folds[0].chance)
    assert "nan" not in report.verdict
    assert "1.0000 on the parts that have a value" in report.verdict
    report = split_report(KFold(2), np.zeros((4, 1)), [0, 0, 0, 0], qid=[1, 2, 1, 2])
    assert report.verdict.endswith("are scored (4 of 4 in test); use cv=QueryKFold(…).")


def test_many_folds_are_shown_in_part():
    """Leave one query out: a table that fits a screen."""
    report = split_report(LeaveOneGroupOut(), X, RankTarget(Y, qid=QID))
    assert len(report.folds) == 200
    assert len(repr(report).splitlines()) < 50
    assert "…" in repr(report)
    assert report.honest


def test_masked_grades_are_missing():
    """As everywhere."""
    masked = np.ma.array(Y, mask=np.arange(Y.size) == 3)
    with pytest.raises(ValueError, match="must not be missing"):
        split_report(KFold(2), X, masked, qid=QID)


def test_metrics_that_define_equal_scores_themselves():
    """Chance is the mean of random scores; for a correlation it is about 0."""
    y = RankTarget(Y, qid=QID)
    report = split_report(QueryKFold(2), X, y, metric="kendall_tau_b")
    assert abs(report.chance) < 0.1
    assert report.honest


def test_what_has_no_chance_says_so():
    """Negative grades are no gains, and coverage needs items; counts are given all the same."""
    y = RankTarget(np.asarray(Y) - 1, qid=QID)
    report = split_report(QueryKFold(2), X, y)
    assert "y_true of ndcg must not be negative" in report.why_no_chance
    assert "no score of a random model" in str(report)
    assert report.honest
    assert report.folds[0].undefined_queries == 0
    report = split_report(QueryKFold(2), X, RankTarget(Y, qid=QID), metric="coverage")
    assert "needs more than grades and scores" in report.why_no_chance


def test_lists_that_any_order_wins():
    """A log of positives only."""
    y = RankTarget(np.ones(len(Y)), qid=QID)
    report = split_report(QueryKFold(2), X, y)
    assert not report.honest
    assert "any order of these lists wins: a random model has ndcg@10 1.0000" in report.verdict


def test_row_numbers_from_the_end():
    """scikit-learn takes them; the last rows are in train and in test here."""
    y = RankTarget([1, 0] * 4, qid=np.repeat([0, 1, 2, 3], 2))
    report = split_report([([0, 1, 6, 7], [-2, -1])], np.zeros((8, 1)), y)
    assert report.folds[0].repeated_rows == 2
    with pytest.raises(ValueError, match="cv must give numbers of the 8 rows"):
        split_report([([0, 1], [88])], np.zeros((8, 1)), y)


def test_folds_that_count_queries_unequally():
    """The verdict says between which numbers they differ."""
    qid = np.repeat(np.arange(9), [8, 2, 2, 2, 2, 2, 2, 2, 2])
    y = RankTarget(np.arange(24) % 2, qid=qid)
    report = split_report(QueryKFold(3, balance="rows"), np.zeros((24, 1)), y)
    assert "Folds test 1 to 4 queries" in report.verdict
    assert "Folds test" not in split_report(QueryKFold(3), np.zeros((24, 1)), y).verdict


def test_chance_counts_queries_as_scorers_do():
    """By the weights that y carries: two queries of chance 1 and 3/4, weighted 3 to 1."""
    y, qid, weight = [1, 1, 1, 0], [0, 0, 1, 1], [3, 3, 1, 1]
    rows = np.zeros((4, 1))
    report = split_report(
        [([0, 1], [2, 3]), ([2, 3], [0, 1])],
        rows,
        RankTarget(y, qid=qid, sample_weight=weight),
        metric="mrr",
    )
    assert report.chance == pytest.approx((3 * 1 + 0.75) / 4, rel=1e-14)
    assert [fold.chance for fold in report.folds] == pytest.approx([0.75, 1], rel=1e-14)


def test_chance_is_of_a_random_order_whatever_the_metric_makes_of_ties():
    """Of conventions that put tied rows in row order, or the worst."""
    y, qid = [3, 1, 0] * 4, np.repeat(range(4), 3)
    rows = np.zeros((12, 1))
    want = split_report(QueryKFold(2), rows, y, qid=qid).chance
    for options in ({"convention": "trec_eval"}, {"ties": "pessimistic"}, {"ties": "first"}):
        report = split_report(
            QueryKFold(2), rows, y, qid=qid, metric=get_metric("ndcg", **options)
        )
        assert report.chance == want
        assert report.honest
    assert split_report(QueryKFold(2), rows, y, qid=qid, metric="dcg").honest
    assert split_report(QueryKFold(2), rows, y, qid=qid, metric="judged@2").honest


def test_parts_are_compared_with_the_same_queries():
    """One query is cut: of rows 1, 0, 0 the first two; whole queries do not count."""
    y, qid = [1, 1, 1, 1, 0, 0], [0, 0, 0, 1, 1, 1]
    report = split_report([([5], [0, 1, 2, 3, 4])], np.zeros((6, 1)), y, qid=qid, metric="mrr")
    assert report.chance_of_parts == pytest.approx((3 / 4, (1 + 1 / 2 + 1 / 3) / 3), rel=1e-14)


@pytest.mark.parametrize(("value", "words"), [(1.0, "score 1"), (np.nan, "are left out")])
def test_what_queries_without_a_value_score(value, words):
    """As the metric has it."""
    metric = get_metric("mrr", replace_undefined_by=value)
    rows, qid = np.zeros((8, 1)), np.repeat(range(4), 2)
    report = split_report(QueryKFold(2), rows, [1, 0] * 3 + [0, 0], qid=qid, metric=metric)
    assert f"Queries without a value {words} (1 of 4 in test)" in report.verdict
