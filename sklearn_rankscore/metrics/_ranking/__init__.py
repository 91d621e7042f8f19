"""Ranked queries in rectangular blocks, and all that is known about tied scores."""
