"""`python -m verdict_assets.cli`, the same as the console script `verdict`."""

import sys

from verdict_assets.cli.main import main

sys.exit(main())
