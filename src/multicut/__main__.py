"""``python -m multicut`` is the command ``multicut``."""

import sys

from multicut_command import main

sys.exit(main())
