"""Where query ids travel: the table that the tests prove and the README shows."""

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


def cells():
    """Consumer, carrier and outcome of each cell of the table."""
    header, *lines = (line.split("|") for line in TABLE.strip("\n").splitlines())
    for line in lines:
        for carrier, outcome in zip(header[1:], line[1:], strict=True):
            yield line[0].strip(), carrier.strip(), outcome.strip()
