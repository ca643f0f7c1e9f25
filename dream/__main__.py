"""python -m dream"""

from dream.cli import main

raise SystemExit(main())
