"""What strangers may take of the web process: connections, pages, requests."""
