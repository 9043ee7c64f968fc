"""The demo: a small program that plays the PLC, through a connection like any other client's."""
