"""python -m dream, and the program `dream`."""

import signal
import sys


def main() -> int:
    """The command line. Ctrl-C while the program is still loading ends it without a trace."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from dream.cli import main as command_line

    return command_line()


if __name__ == "__main__":
    sys.exit(main())
