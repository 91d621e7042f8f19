"""Explain how a metric comes to the value of one query."""
