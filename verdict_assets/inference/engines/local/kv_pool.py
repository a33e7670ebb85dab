"""Keys and values of prompt prefixes, kept in blocks, so that no prefix is computed twice.

Belongs here: finding, copying out, adding and evicting blocks. Does not belong here: computing keys and
values (`checkpoint.py`), and which prefixes are worth keeping (the caller says).

A block holds a fixed number of tokens and is found by (its parent, its tokens); the parent of a first block
is the tuple of the prompt's images. Keys are exact, not hashes, and a parent's serial number is never used
twice, so a block can only be found by a prompt that begins with exactly the tokens and pictures it was
computed from.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import torch

BLOCK = 8
"""Tokens a block: small, because traces grow by about ten tokens a step and only full blocks are reused."""

_Parent = tuple[str, ...] | int


@dataclass(slots=True)
class Block:
    """One block: where it lies in the pool, and its identity as a parent."""

    slot: int
    serial: int
    used: int


class KvPool:
    """A least-recently-used store of blocks in one tensor [slots, layers, 2, heads, BLOCK, width]."""

    def __init__(self, layers: int, heads: int, width: int, budget: int) -> None:
        """`budget` in bytes; the tensor is float32. At least one block of zeros exists, for padding."""
        per_block = layers * 2 * heads * BLOCK * width * 4
        self._slots = max(1, budget // per_block)
        self._store = torch.zeros((self._slots, layers, 2, heads, BLOCK, width))
        self._blocks: OrderedDict[tuple[_Parent, tuple[int, ...]], Block] = OrderedDict()
        self._serial = 0
        self._round = 0

    def begin(self) -> None:
        """Start a batch: blocks touched from now on are not evicted before the next call."""
        self._round += 1

    def find(self, tokens: Sequence[int], images: tuple[str, ...], limit: int) -> list[Block]:
        """The longest chain of kept blocks that covers a prefix of `tokens`, not beyond `limit` tokens."""
        keys, chain = [], []
        parent: _Parent = images
        for start in range(0, limit - BLOCK + 1, BLOCK):
            key = (parent, tuple(tokens[start : start + BLOCK]))
            block = self._blocks.get(key)
            if block is None:
                break
            block.used = self._round
            keys.append(key)
            chain.append(block)
            parent = block.serial
        for key in reversed(keys):  # the root last: a child is evicted before its parent
            self._blocks.move_to_end(key)
        return chain

    def add(
        self, tokens: Sequence[int], images: tuple[str, ...], chain: list[Block], limit: int
    ) -> list[Block]:
        """Make blocks for what `chain` does not cover of tokens[:limit]; the caller fills them.

        `chain` is what `find` returned for these tokens. Ends early when every block is in use by this batch.
        """
        added: list[Block] = []
        parent: _Parent = chain[-1].serial if chain else images
        for start in range(len(chain) * BLOCK, limit - BLOCK + 1, BLOCK):
            key = (parent, tuple(tokens[start : start + BLOCK]))
            if key in self._blocks:  # another prompt of this batch made it
                break
            slot = self._free_slot()
            if slot is None:
                break
            self._serial += 1
            block = Block(slot, self._serial, self._round)
            self._blocks[key] = block
            added.append(block)
            parent = block.serial
        return added

    def copy_out(self, chains: Sequence[Sequence[Block]], into: torch.Tensor) -> None:
        """Write the chains' keys and values to `into` [layers, 2, rows, heads, tokens, width].

        What lies behind a shorter chain's end is junk for the mask to hide. The number of tokens of `into` is
        BLOCK times the length of the longest chain.
        """
        longest = max(len(chain) for chain in chains)
        table = torch.zeros((len(chains), longest), dtype=torch.long)
        for row, chain in enumerate(chains):
            if chain:
                table[row, : len(chain)] = torch.tensor([block.slot for block in chain])
        found = self._store[table].permute(
            2, 3, 0, 4, 1, 5, 6
        )  # [layers, 2, rows, heads, blocks, BLOCK, width]
        into.unflatten(4, (longest, BLOCK)).copy_(found)

    def fill(
        self, blocks: Sequence[Block], source: torch.Tensor, rows: Sequence[int], starts: Sequence[int]
    ) -> None:
        """Take each block's content from `source` [layers, 2, rows, heads, tokens, width] at (row, start)."""
        if not blocks:
            return
        at = torch.tensor(starts)[:, None] + torch.arange(BLOCK)
        found = source[:, :, torch.tensor(rows)[:, None], :, at]  # [blocks, BLOCK, layers, 2, heads, width]
        self._store[torch.tensor([block.slot for block in blocks])] = found.permute(0, 2, 3, 4, 1, 5)

    def _free_slot(self) -> int | None:
        if len(self._blocks) < self._slots:
            return len(self._blocks)
        oldest = next(iter(self._blocks))
        if self._blocks[oldest].used == self._round:
            return None
        return self._blocks.pop(oldest).slot
