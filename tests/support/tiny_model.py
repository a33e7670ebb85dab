"""A randomly initialised Qwen2.5-VL of half a million parameters, in the folder layout of the real ones."""

import json
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

SPECIAL = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>",
    "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>",
]  # fmt: skip
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% if m.content is string %}{{ m.content }}{% else %}{% for c in m.content %}"
    "{% if c.type in ['image', 'image_url'] %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% else %}{{ c.text }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SENTENCES = [
    "the red circle is left of the blue square .\n",
    "score 0.1 0.9\n",
    "answer : A\n",
    "how many are there ?",
]


def write_tiny_model(folder: Path, *, seed: int = 0) -> Path:
    """Write the model to `folder`; its weights are spread wider than for training, so that choices differ."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    # Printable ASCII alone: random weights would write broken UTF-8, which programs repair each in its way.
    alphabet = [chr(code) for code in range(33, 127)]
    alphabet += ["\u0120", "\u010a"]  # how byte-level tokenizers write space and newline
    trainer = trainers.BpeTrainer(vocab_size=240, special_tokens=SPECIAL, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(SENTENCES * 50, trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    ids = {name: fast.convert_tokens_to_ids(name) for name in SPECIAL}
    torch.manual_seed(seed)
    model = Qwen2_5_VLForConditionalGeneration(_config(len(fast), ids)).float()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.normal_(0.0, 0.1)
        model.lm_head.weight.normal_(0.0, 0.25)
    model.save_pretrained(folder)
    processor = {
        "do_resize": True, "patch_size": 14, "temporal_patch_size": 2, "merge_size": 2,
        "min_pixels": 28 * 28, "max_pixels": 112 * 112,
        "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5],
        "image_processor_type": "Qwen2VLImageProcessor", "processor_class": "Qwen2_5_VLProcessor",
    }  # fmt: skip
    (folder / "preprocessor_config.json").write_text(json.dumps(processor))
    generation = {"eos_token_id": ids["<|im_end|>"], "pad_token_id": ids["<|endoftext|>"]}
    (folder / "generation_config.json").write_text(json.dumps(generation))
    return folder


def _config(vocabulary: int, ids: dict[str, int]) -> Qwen2_5_VLConfig:
    return Qwen2_5_VLConfig(
        text_config={
            "vocab_size": vocabulary, "hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 3,
            "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 1024,
            "rope_parameters": {"rope_type": "default", "mrope_section": [4, 6, 6], "rope_theta": 10000.0},
            "tie_word_embeddings": False,
            "bos_token_id": ids["<|endoftext|>"], "eos_token_id": ids["<|im_end|>"],
        },
        vision_config={
            "depth": 2, "hidden_size": 64, "intermediate_size": 128, "num_heads": 2, "out_hidden_size": 128,
            "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2, "window_size": 112,
            "fullatt_block_indexes": [1], "in_channels": 3,
        },
        image_token_id=ids["<|image_pad|>"], video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"], vision_end_token_id=ids["<|vision_end|>"],
        tie_word_embeddings=False,
    )  # fmt: skip
