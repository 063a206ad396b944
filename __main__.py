"""Run the command line as `python -m linetrail`."""

import sys

from linetrail.queries.cli import main

sys.exit(main())
