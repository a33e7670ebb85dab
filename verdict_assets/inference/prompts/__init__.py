"""Prompt texts, one file each, and the one way in which they are filled in.

Here: the texts (`<world>/<role>.txt`) and `render.py`. Not here: which study uses which prompt (`studies/`).
A prompt is part of every key that was computed from it: a changed text is a new prompt and belongs into a
new file.
"""

from verdict_assets.inference.prompts.render import Prompt, load_prompt, options_text

__all__ = ["Prompt", "load_prompt", "options_text"]
