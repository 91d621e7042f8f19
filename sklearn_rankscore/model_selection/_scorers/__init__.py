"""Scorers: they find the query ids, ask the estimator, and ask the metric."""
