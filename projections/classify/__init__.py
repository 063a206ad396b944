"""Is a change formatting, a comment, a refactor or an evolution?"""
