"""The embedding model of the comparison: all-MiniLM-L6-v2, mean pooled, of length 1.

The one that searches, and the one that every peer is given. Texts over 256 tokens are cut there, as in
sentence-transformers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from transformers import AutoModel

WINDOW = 256
_BATCH_TOKENS = 8192  # padded


class Embedder:
    """Embeds texts, and counts the tokens that it read (special tokens included, padding not)."""

    def __init__(self, model: Path, *, threads: int, dtype: torch.dtype = torch.float32) -> None:
        torch.set_num_threads(threads)
        self._model = AutoModel.from_pretrained(str(model), dtype=dtype, local_files_only=True).eval()
        self.tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.dim: int = self._model.config.hidden_size
        self.tokens = 0

    def count(self, text: str) -> int:
        """Tokens of a text, special ones not counted."""
        return len(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(texts, dim), each row of length 1."""
        rows = [self._cut(encoding.ids) for encoding in self.tokenizer.encode_batch(list(texts))]
        self.tokens += sum(map(len, rows))
        out = np.empty((len(rows), self.dim), np.float32)
        for batch in _batches([len(row) for row in rows]):
            out[batch] = self._run([rows[i] for i in batch])
        return out

    def _cut(self, ids: list[int]) -> list[int]:
        """At most a window, its last token still the one that ends a text."""
        return ids if len(ids) <= WINDOW else [*ids[: WINDOW - 1], ids[-1]]

    def _run(self, rows: list[list[int]]) -> NDArray[np.float32]:
        longest = max(map(len, rows))
        ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
        mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
        with torch.inference_mode():
            states = self._model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
            weights = mask.unsqueeze(-1).float()
            means = (states * weights).sum(1) / weights.sum(1).clamp(min=1e-9)
            vectors: NDArray[np.float32] = torch.nn.functional.normalize(means, dim=1).numpy()
        return vectors


def _batches(lengths: Sequence[int]) -> Iterable[list[int]]:
    """Indices, shortest first, in batches of so many tokens with their padding."""
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and lengths[i] * (len(batch) + 1) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch
