"""The audit of a front end: what its JavaScript part found, as a file, a summary and more."""
