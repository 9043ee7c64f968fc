"""The page: its panels, and what they do."""
