"""Query ids that travel: on a target, or found where a scorer and a splitter look."""
