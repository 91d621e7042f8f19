"""Score rows that come in batches, with one batch in memory at a time."""

from sklearn_rankscore.streaming._batches import evaluate_batches, whole_queries

__all__ = ["evaluate_batches", "whole_queries"]
