"""Displays: plots that follow scikit-learn's conventions."""
