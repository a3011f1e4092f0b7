"""Tiny models on disk, made on the spot: real folders for the Auto classes of transformers."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

_WORDS = """
the a of to and in is it that was for on with as his he she they be at by this had not are but from
or have an which one you were all her would there their we him been has when who will no more if out
so up said what its about than into them can only other time new some could these two may first then
do any like my now over such our man me even most made after also did many river ocean sea fish boat
water wave storm bank market price stock trade money tax law court judge music song dance piano
choir garden tree leaf seed bread kitchen oven flour
"""
WORDS = _WORDS.split()
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
LETTERS = [chr(c) for c in range(ord("a"), ord("z") + 1)]


def sentences(count: int, seed: int = 0) -> str:
    """Text of so many sentences, one a line after every third."""
    dice = random.Random(seed)
    out = []
    for i in range(count):
        words = dice.choices(WORDS, k=dice.randint(4, 14))
        out.append(" ".join(words).capitalize() + "." + ("\n" if i % 3 == 2 else " "))
    return "".join(out).strip()


def word_piece() -> Any:
    """A lower-casing WordPiece tokenizer in BERT's manner."""
    from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
    from tokenizers.models import WordPiece

    marks = list(".,;:!?()[]'\"-")
    pieces = [*SPECIAL, *marks, *WORDS, *LETTERS, *("##" + letter for letter in LETTERS)]
    vocabulary = {piece: i for i, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.add_special_tokens(SPECIAL)
    return tokenizer


def byte_bpe(*, add_prefix_space: bool = False) -> Any:
    """A byte-level BPE tokenizer in the manner of RoBERTa and ModernBERT."""
    from tokenizers import Tokenizer, decoders, pre_tokenizers, processors, trainers
    from tokenizers.models import BPE

    tokenizer = Tokenizer(BPE(unk_token=None))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["[CLS]", "[PAD]", "[SEP]", "[UNK]"],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator([sentences(60)], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 2)]
    )
    return tokenizer


def unigram() -> Any:
    """A Unigram tokenizer with Metaspace in the manner of XLM-R: each text gets a space in front."""
    from tokenizers import Tokenizer, decoders, pre_tokenizers, processors
    from tokenizers.models import Unigram

    pieces = ["<unk>", "<s>", "</s>", "▁", *("▁" + word for word in WORDS), *LETTERS, *".,;:!?\n"]
    tokenizer = Tokenizer(Unigram([(piece, -float(i + 1) / 20) for i, piece in enumerate(pieces)], unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    return tokenizer


def bert_folder(folder: Path, *, positions: int = 512, hidden: int = 32, seed: int = 0) -> Path:
    """A BERT of two layers with random weights and a WordPiece tokenizer."""
    from transformers import BertConfig, BertModel

    tokenizer = word_piece()
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=hidden,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=2 * hidden,
        max_position_embeddings=positions,
    )
    return _save(folder, BertModel, config, tokenizer, positions, seed)


def roberta_folder(folder: Path, *, positions: int = 66, seed: int = 0) -> Path:
    """A RoBERTa of two layers: 66 position vectors serve 64 tokens, for they start behind the padding."""
    from transformers import RobertaConfig, RobertaModel

    tokenizer = byte_bpe()
    config = RobertaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=positions,
        pad_token_id=1,
    )
    return _save(folder, RobertaModel, config, tokenizer, None, seed)


def modern_bert_folder(folder: Path, *, positions: int = 512, seed: int = 0) -> Path:
    """A ModernBERT of two layers with a byte-level BPE tokenizer."""
    from transformers import ModernBertConfig, ModernBertModel

    tokenizer = byte_bpe()
    config = ModernBertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=positions,
        global_attn_every_n_layers=2,
        local_attention=32,
        pad_token_id=1,
        cls_token_id=0,
        sep_token_id=2,
        bos_token_id=0,
        eos_token_id=2,
    )
    return _save(folder, ModernBertModel, config, tokenizer, positions, seed)


def separator_folder(folder: Path, *, fires_on: str = ".", positions: int = 64) -> Path:
    """A token classifier in the manner of chonky that labels one token ``separator``.

    No training: the layers write nothing, so a token's embedding passes through them, and the
    classifier reads the one axis that marks the token.
    """
    import torch
    from transformers import BertConfig, BertForTokenClassification

    tokenizer = word_piece()
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=positions,
        id2label={0: "O", 1: "separator"},
        label2id={"O": 0, "separator": 1},
    )
    model = BertForTokenClassification(config)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            weights.fill_(1.0 if name.endswith("LayerNorm.weight") else 0.0)
        embeddings = model.bert.embeddings.word_embeddings.weight
        embeddings[:, 0] = 1.0
        embeddings[tokenizer.token_to_id(fires_on)] = torch.eye(8)[1]
        model.classifier.weight[1, 1] = 4.0
        model.classifier.weight[1, 0] = -4.0
    return _write(folder, model, tokenizer, positions)


def _save(folder: Path, kind: Any, config: Any, tokenizer: Any, limit: int | None, seed: int) -> Path:
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = kind(config)
    return _write(folder, model, tokenizer, limit)


def _write(folder: Path, model: Any, tokenizer: Any, limit: int | None) -> Path:
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    model.config.architectures = [type(model).__name__]
    model.config.to_json_file(folder / "config.json")
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"model_max_length": limit if limit is not None else int(1e30)}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    return folder
