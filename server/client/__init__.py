"""A small OPC UA client: what the demo and the commands browse, read, write and watch use."""
