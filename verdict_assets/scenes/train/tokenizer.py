"""The tokenizer and chat template of the tiny models.

Belongs here: a byte-level BPE whose merges cover the words of the world and of the prompts, so that a word, a
number and a score are one token each, any other text still encodes, and decoding gives the exact text back.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from verdict_assets.scenes.world import COLOURS, SHAPES

SPECIAL = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
)
PAD, START, END, VISION_START, VISION_END, IMAGE, VIDEO = SPECIAL
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}"
    "{% if part.type in ('image', 'image_url') %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% else %}{{ part.text }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_NAMES = f" ?(?:{'|'.join(COLOURS)}) (?:{'|'.join(SHAPES)})(?![A-Za-z])"
_PLACES = " ?(?:above|below) and (?:left|right)| ?(?:top|bottom) (?:left|right)"
_WORDS = Regex(rf"\n|{_NAMES}|{_PLACES}|\([A-Z]\)| ?[A-Za-z]+| ?\d\.\d| ?\d+| ?[^\sA-Za-z\d(]+|\s| ?\(")
"""Names and places are words of their own: a small model finds one token by one token much sooner."""
_VOCABULARY = 2000


def train_tokenizer(corpus: Iterable[str]) -> Tokenizer:
    """A tokenizer whose merges come from ``corpus``; the same corpus gives the same file."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(_WORDS, behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=_VOCABULARY,
        min_frequency=1,
        special_tokens=[AddedToken(token, special=True, normalized=False) for token in SPECIAL],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(list(corpus), trainer)
    return tokenizer


def save_tokenizer(tokenizer: Tokenizer, folder: Path) -> None:
    """Write the files that transformers and vLLM load a tokenizer, template and image recipe from."""
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "chat_template.jinja").write_text(CHAT_TEMPLATE)
    _write(
        folder / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "pad_token": PAD,
            "eos_token": END,
            "clean_up_tokenization_spaces": False,
            "model_max_length": 1024,
            "processor_class": "Qwen2_5_VLProcessor",
        },
    )
    _write(
        folder / "preprocessor_config.json",
        {
            "image_processor_type": "Qwen2VLImageProcessor",
            "processor_class": "Qwen2_5_VLProcessor",
            "do_resize": True,
            "patch_size": 14,
            "temporal_patch_size": 2,
            "merge_size": 2,
            "min_pixels": 3136,
            "max_pixels": 50176,
            "image_mean": [0.5, 0.5, 0.5],
            "image_std": [0.5, 0.5, 0.5],
        },
    )


def _write(path: Path, content: dict[str, object]) -> None:
    path.write_text(json.dumps(content, indent=2, sort_keys=True) + "\n")
