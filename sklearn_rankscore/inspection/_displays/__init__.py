"""Pictures, by scikit-learn's conventions."""
