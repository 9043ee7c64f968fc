"""The bridge: a client that carries values between a cell and a controller that is a server."""
