"""What moves a robot's joints: servo drives that give way, and ideal ones that never do."""
