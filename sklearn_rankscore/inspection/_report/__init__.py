"""Models compared on the same queries."""
