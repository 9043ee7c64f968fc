"""The test kit: prove a PLC program against a cell, from pytest or with scenario files."""
