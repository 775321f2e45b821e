"""`python -m sandbox --port P --data DIR`: run the sandbox business system until SIGTERM or SIGINT."""

import argparse
import signal
from collections.abc import Sequence
from pathlib import Path

from sandbox.serving import Sandbox
from sandbox.storing import Store


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve, say where in one line on standard output, and end politely when asked."""
    options = _parser().parse_args(arguments)
    ending = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, ending)  # before any thread begins, so that only sigwait sees them
    store = Store(options.data, durable=options.durable)
    try:
        sandbox = Sandbox(store, options.host, options.port)
    except OSError as error:
        store.close()
        print(f"sandbox: cannot listen on {options.host}:{options.port}: {error.strerror}", flush=True)
        return 1
    sandbox.start()
    print(f"sandbox: listening on http://{options.host}:{sandbox.port}", flush=True)
    signal.sigwait(ending)
    sandbox.stop()
    store.close()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sandbox", description=__doc__)
    parser.add_argument("--port", type=int, required=True, help="port to listen on; 0 takes a free one and prints it")
    parser.add_argument("--data", type=Path, required=True, help="directory of the storage, created where missing")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: loopback only)")
    parser.add_argument("--durable", action="store_true", help="survive a power cut, not only a killed process")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
