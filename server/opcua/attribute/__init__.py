"""Read and Write: values of rows, commands."""
