"""Everything asked of git: commits, patches, contents, who made them."""
