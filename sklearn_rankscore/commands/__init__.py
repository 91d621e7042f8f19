"""Commands beside the main one."""
