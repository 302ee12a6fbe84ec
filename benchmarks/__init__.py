"""Programs that measure; each prints a table of ratios taken side by side in one process."""
