"""`verdict serve`: serve a model of the project with `vllm serve`, until interrupted.

Belongs here: the arguments and the life of one server. Does not: how vLLM is started (`vllm_server.py`).
"""

import argparse
import signal
import sys
from pathlib import Path

from verdict_assets.cli.engine_options import INTERRUPTED, positive
from verdict_assets.config.paths import Project, find_project
from verdict_assets.errors import UserError
from verdict_assets.inference.engines.vllm_server import ServerOptions, VllmServer, require_vllm

NAME = "serve"
HELP = "Serve a model of the project with vLLM on this machine, until interrupted."
DEFAULT_PORT = 8000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `verdict serve`."""
    parser.add_argument("model", help="a folder of data/weights/")
    parser.add_argument(
        "--python", type=Path, help="interpreter that has vLLM; by default the one of .venv-models"
    )
    parser.add_argument("--port", type=positive, default=DEFAULT_PORT, help="port on the loopback address")
    parser.add_argument("--dtype", default="float32", help="number format; a study names the one it asks for")
    parser.add_argument("--compile", action="store_true", help="let vLLM compile: slower to start, for a GPU")
    parser.add_argument(
        "--log", type=Path, help="where the server's output goes; .dagster/vllm.log by default"
    )


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted (130) or until the server ends by itself (1)."""
    project = find_project()
    folder = _folder(project, args.model)
    python = args.python or project.root / ".venv-models" / "bin" / "python"
    require_vllm(python)
    log = args.log or project.root / ".dagster" / "vllm.log"
    options = ServerOptions(dtype=args.dtype, eager=not args.compile)
    server = VllmServer(python, folder, args.model, log, options, args.port)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # a kill stops the server too
    print(f"starting {args.model}; its log is {log}", file=sys.stderr, flush=True)
    try:
        with server:
            print(f"answering at {server.url}; end it with Ctrl-C", file=sys.stderr, flush=True)
            server.wait()
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return INTERRUPTED
    finally:
        signal.signal(signal.SIGTERM, before)
    print(f"the server ended by itself; read {log}", file=sys.stderr)
    return 1


def _folder(project: Project, model: str) -> Path:
    folder = project.weights / model
    if not folder.is_dir():
        known = sorted(path.name for path in project.weights.iterdir()) if project.weights.is_dir() else []
        raise UserError(
            f"there is no model {model!r}", where=project.weights, remedy=f"use one of: {', '.join(known)}"
        )
    return folder
