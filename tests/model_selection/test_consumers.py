"""Where query ids travel: every user of a scorer in scikit-learn, every carrier of ids."""

import consumers_inside  # noqa: F401 - registers its own
import numpy as np
import pytest
from carriers import CARRIERS, by_hand, close
from cells import cells
from conftest import needs
from consumers import CONSUMERS, QID, SCORER, X, Y
from estimators import Remembering
from sklearn.inspection import permutation_importance

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


def test_the_table_is_whole():
    """It has every consumer with every carrier, and a reason for each pair that cannot work."""
    assert {(consumer, carrier) for consumer, carrier, _ in cells()} == {
        (consumer, carrier) for consumer in CONSUMERS for carrier in CARRIERS
    }
    assert {cell[:2] for cell in cells() if cell[2] == "cannot"} == set(CANNOT)


OWN = ("RankTarget", "works")
NEW_DEFAULTS = "ignore:The (default value for|fitted attributes):FutureWarning"


@pytest.mark.filterwarnings(NEW_DEFAULTS)
@pytest.mark.parametrize(("consumer", "carrier", "outcome"), list(cells()))
def test_each_consumer_with_each_carrier(consumer, carrier, outcome):
    """The consumer gives the right number, or an error that says what to do."""
    use, X_, y = CONSUMERS[consumer]
    carried = CARRIERS[carrier](X_, y, QID)
    if outcome == "works":
        use(carried)
    elif outcome == "raises":
        with pytest.raises(ValueError, match=r"found no query ids.* Give them as RankTarget"):
            use(carried)
    elif CANNOT[consumer, carrier][1] is not None:
        error, message = CANNOT[consumer, carrier][1]
        with pytest.raises(error, match=message):
            use(carried)


def test_permutation_importance_of_a_frame_with_ids():
    """Importances of features are right, though the column of ids is shuffled as well."""
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
    """The numbers stay the same where routing is enabled and nothing is passed."""
    use, X_, y = CONSUMERS[consumer]
    carried = CARRIERS["RankTarget"](X_, y, QID)
    carried.routing = True
    use(carried)
