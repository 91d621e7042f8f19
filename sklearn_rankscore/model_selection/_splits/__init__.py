"""Splits of whole queries and splits in time, and a report of what a split does."""
