"""Records of collections: tables of rows as JSON, and the store that each session has of one."""
