"""What happened in a run: summaries, curves, pictures, words."""
