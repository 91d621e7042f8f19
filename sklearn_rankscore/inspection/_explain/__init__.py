"""The working of one query's value."""
