"""What comes in: arrays checked, ids numbered, rows grouped by query, tables by item."""
