"""QueryRanker, and how it tells each booster of its queries."""
