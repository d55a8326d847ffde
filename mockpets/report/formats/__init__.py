"""One module for each format in which a report can be written."""
