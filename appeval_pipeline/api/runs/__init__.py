"""Starting runs of the pipeline, and how far they are."""
