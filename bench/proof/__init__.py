"""The proof of contact: a grid of ordinary cases, each judged. See docs/engine/proof.md."""
