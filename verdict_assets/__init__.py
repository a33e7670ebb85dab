"""VERDICT as a reproducible research pipeline: step-wise verification of multimodal reasoning."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("verdict-assets")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0+unknown"
