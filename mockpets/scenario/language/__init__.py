"""The scenario language: text to syntax tree to `Scenario`, each problem with line and column."""
