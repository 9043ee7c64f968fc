"""Commands: who may write them, what they become, who is watched, what is forced."""
