"""Finding contacts under its former name, until `step` imports it from `detect`."""

from sim.contact.detect.find_contacts import find_contacts

__all__ = ["find_contacts"]
