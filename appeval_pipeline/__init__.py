"""Evaluate simulated apps, and the agents that use them."""
