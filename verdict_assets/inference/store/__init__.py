"""The store of answers: a request that was ever answered is never asked again."""

from verdict_assets.inference.store.store import Divergence, Layer, Store

__all__ = ["Divergence", "Layer", "Store"]
