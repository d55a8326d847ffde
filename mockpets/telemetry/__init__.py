"""What a server reports about itself: the access log and the metrics."""
