"""What several devices are made of: wires, watches, latched faults, limits of what they hold."""
