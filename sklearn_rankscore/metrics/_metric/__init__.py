"""The Metric object: names, options, docstrings, and the engine that computes it."""
