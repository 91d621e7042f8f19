"""Where query ids travel: every user of a scorer in scikit-learn, every carrier of ids."""

from __future__ import annotations

import consumers_inside  # noqa: F401 - registers its own
import numpy as np
import pytest
from carriers import CARRIERS, by_hand, close
from conftest import needs
from consumers import CONSUMERS, QID, SCORER, X, Y
from estimators import Remembering
from sklearn.inspection import permutation_importance

# works: equals scores by hand; raises: says that no ids were found, and what to do;
# cannot: for the reason below. The README has the same table.
TABLE = """
                                     | routed | RankTarget | y index | X column | X column, polars | X index
cross_validate                       | works  | works      | works   | works    | works            | works
cross_val_score                      | works  | works      | works   | works    | works            | works
GridSearchCV                         | works  | works      | works   | works    | works            | works
RandomizedSearchCV                   | works  | works      | works   | works    | works            | works
HalvingGridSearchCV                  | works  | works      | works   | works    | works            | works
HalvingRandomSearchCV                | works  | works      | works   | works    | works            | works
learning_curve                       | works  | works      | works   | works    | works            | works
validation_curve                     | works  | works      | works   | works    | works            | works
permutation_test_score               | works  | works      | works   | works    | works            | works
nested cross-validation              | works  | works      | works   | works    | works            | works
Pipeline in a search                 | works  | works      | works   | works    | works            | works
search in a Pipeline                 | works  | works      | works   | raises   | raises           | raises
check_scoring                        | works  | works      | works   | works    | works            | works
permutation_importance               | cannot | works      | works   | cannot   | raises           | works
SequentialFeatureSelector            | works  | works      | works   | raises   | raises           | raises
RidgeCV(cv=…)                        | works  | works      | works   | works    | works            | works
RidgeCV                              | works  | raises     | raises  | raises   | raises           | raises
RFECV                                | works  | raises     | raises  | raises   | raises           | raises
LogisticRegressionCV                 | works  | raises     | raises  | raises   | raises           | raises
HistGradientBoosting, early stopping | cannot | raises     | raises  | raises   | raises           | raises
"""  # noqa: E501

# Why, and what is seen: an error of the consumer's own, or a test of its own below.
CANNOT = {
    ("permutation_importance", "routed"): (
        "it routes nothing but weights",
        (TypeError, "unexpected keyword argument 'qid'"),
    ),
    ("permutation_importance", "X column"): (
        "it shuffles the column of ids like any other; importances of the others are right",
        None,
    ),
    ("HistGradientBoosting, early stopping", "routed"): (
        "its fit takes no metadata",
        (TypeError, "unexpected keyword argument 'qid'"),
    ),
}


def cells():
    """Consumer, carrier and outcome of each cell of the table."""
    header, *lines = (line.split("|") for line in TABLE.strip("\n").splitlines())
    for line in lines:
        for carrier, outcome in zip(header[1:], line[1:], strict=True):
            yield line[0].strip(), carrier.strip(), outcome.strip()


def test_the_table_is_whole():
    """Every consumer with every carrier, and a reason for each that cannot."""
    assert {(consumer, carrier) for consumer, carrier, _ in cells()} == {
        (consumer, carrier) for consumer in CONSUMERS for carrier in CARRIERS
    }
    assert {cell[:2] for cell in cells() if cell[2] == "cannot"} == set(CANNOT)


OWN = ("RankTarget", "works")
NEW_DEFAULTS = "ignore:The (default value for|fitted attributes):FutureWarning"


@pytest.mark.filterwarnings(NEW_DEFAULTS)
@pytest.mark.parametrize(("consumer", "carrier", "outcome"), list(cells()))
def test_each_consumer_with_each_carrier(consumer, carrier, outcome):
    """The right number, or an error that says what to do."""
    use, X_, y = CONSUMERS[consumer]
    carried = CARRIERS[carrier](X_, y, QID)
    if outcome == "works":
        use(carried)
    elif outcome == "raises":
        with pytest.raises(
            ValueError, match=r"found no query ids.* Give them in one of five ways"
        ):
            use(carried)
    elif CANNOT[consumer, carrier][1] is not None:
        error, message = CANNOT[consumer, carrier][1]
        with pytest.raises(error, match=message):
            use(carried)


def test_permutation_importance_of_a_frame_with_ids():
    """Features are right; the column of ids is shuffled as well, which a scorer cannot see."""
    needs("pandas")
    carried = CARRIERS["X column"](X, Y, QID)
    Remembering.predicted.clear()
    result = carried.call(
        permutation_importance, Remembering(1), scoring=SCORER, n_repeats=2, random_state=0
    )
    base, *scores = (by_hand(Y, predicted, QID) for predicted in Remembering.predicted)
    close(result.importances[:3].ravel(), base - np.array(scores[:6]))


@pytest.mark.filterwarnings(NEW_DEFAULTS)
@pytest.mark.parametrize(
    "consumer", [name for name, carrier, outcome in cells() if (carrier, outcome) == OWN]
)
def test_a_rank_target_needs_no_routing_and_does_not_mind_it(consumer):
    """The same numbers with routing enabled, nothing being passed."""
    use, X_, y = CONSUMERS[consumer]
    carried = CARRIERS["RankTarget"](X_, y, QID)
    carried.routing = True
    use(carried)
