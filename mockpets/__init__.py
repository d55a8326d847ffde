"""mockpets: a mock server for the pet store service, exact, stateful, able to misbehave."""
