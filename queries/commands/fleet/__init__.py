"""The verbs of `linetrail fleet`, a module each."""
