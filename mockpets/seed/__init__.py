"""Generated records: the same count, seed and locale give the same ones, everywhere and forever."""
