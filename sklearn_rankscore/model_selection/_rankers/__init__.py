"""QueryRanker, and how it passes queries to LightGBM, XGBoost and CatBoost."""
