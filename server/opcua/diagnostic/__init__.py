"""What the server tells about its clients."""
