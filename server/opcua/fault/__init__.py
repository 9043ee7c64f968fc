"""Faults on the way between the cell and its clients: values and answers that do not come."""
