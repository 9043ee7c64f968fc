"""Subscriptions: every sample of a row to whoever asked for it."""
