"""Score rows that come in batches, of which one at a time is in memory."""

from sklearn_rankscore.streaming._batches import evaluate_batches, whole_queries

__all__ = ["evaluate_batches", "whole_queries"]
