"""One turn: ask, record, run tools, repeat; compaction between requests."""
