"""``python -m multicut`` is the command ``multicut``."""

import sys

from multicut.cli import main

sys.exit(main())
