"""The OPC UA process: the cell's signals as nodes that a PLC reads, writes and follows."""
