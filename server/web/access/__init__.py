"""Who looks at the page, and with which rights."""
