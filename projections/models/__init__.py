"""The tables as SQL, one file each."""
