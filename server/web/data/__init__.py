"""What the page shows: live rows, the past, recordings, the scene."""
