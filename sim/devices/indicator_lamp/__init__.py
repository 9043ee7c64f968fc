"""An indicator lamp with a push button, as on an operator's panel."""
