"""Who may do what: users and their roles, our certificate, and the certificates that we trust."""
