"""The store of answers: a request that was ever answered is never asked again."""

from verdict_assets.inference.store.guard import DamagedStore, Layer
from verdict_assets.inference.store.store import Divergence, Store

__all__ = ["DamagedStore", "Divergence", "Layer", "Store"]
