"""Files of users: cells by name, CSV, files that appear whole or not at all."""
