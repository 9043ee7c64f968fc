"""From bytes to requests: connections, chunks, channels, decoding."""
