"""The web page: see a running cell in 3-D, command it, follow its signals."""
