"""What a shell command would do: read, change the workspace, or more."""
