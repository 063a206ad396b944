"""One event: its fields and bytes, what its data may say, and how older versions are read as the present one."""
