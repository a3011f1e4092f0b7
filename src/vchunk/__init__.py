"""Cuts documents for retrieval where the meaning changes."""
