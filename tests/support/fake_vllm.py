"""Stands for the interpreter of another environment: serves like vLLM, or misbehaves as FAKE_VLLM says."""

import argparse
import os
import subprocess
import sys
import time

from fake_server import FakeServer, hang


def main() -> None:
    if sys.argv[1] == "-c":  # asked whether vLLM is there
        sys.exit(os.environ["FAKE_VLLM"] == "absent")
    mode = os.environ["FAKE_VLLM"]
    print("fake server starts", sys.argv[1:], flush=True)
    if mode == "dies":
        sys.exit("no such config")
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    arguments, _ = parser.parse_known_args(sys.argv[1:])
    if mode == "worker":  # that does not end when its parent does
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with FakeServer(port=arguments.port) as server:
        if mode == "hangs":
            server.RequestHandlerClass.do_POST = lambda self: hang(600)(self, {})  # type: ignore[attr-defined]
        time.sleep(600)


main()
