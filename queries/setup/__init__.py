"""What `linetrail init` changes in a project, and how all of it is taken back."""
