"""The textbook: one file a family of metrics, one function a metric."""
