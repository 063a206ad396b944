"""Answer SQL that anybody may have written, in a subprocess that can do nothing else."""
