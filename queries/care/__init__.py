"""What `linetrail doctor` knows of each agent: who lets its hooks run, what turns them off, what was heard of it."""
