"""Rendering prompts through a chat template."""

from collections.abc import Mapping, Sequence

import pytest
from jinja2 import Environment

from verdict_assets.errors import UserError
from verdict_assets.inference.engines.local.chat import Chat
from verdict_assets.inference.request import Group, Request, Setup

EXACT = (
    "{% for m in messages %}<{{ m.role }}>{% for c in m.content %}"
    "{% if c.type == 'image' %}<image>{% else %}{{ c.text }}{% endif %}{% endfor %}</>\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
SETUP = Setup("m", "r", "t", "c", "float32", "native-1", 0.8, 0.6, 40, ("\n",))


class Template:
    """As much of a tokenizer as is needed; continues a message as transformers does."""

    def __init__(self, source: str) -> None:
        self.template = Environment().from_string(source)
        self.calls = 0

    def apply_chat_template(
        self,
        conversation: Sequence[Mapping[str, object]],
        *,
        tokenize: bool,
        add_generation_prompt: bool = False,
        continue_final_message: bool = False,
    ) -> str:
        assert not tokenize
        self.calls += 1
        messages = [dict(message) for message in conversation]
        if continue_final_message:
            content = messages[-1]["content"]
            assert isinstance(content, list)
            messages[-1]["content"] = [{"type": "text", "text": content[0]["text"] + "TAG "}]
        text = self.template.render(messages=messages, add_generation_prompt=add_generation_prompt)
        if not continue_final_message:
            return text
        before, _, _ = text.rpartition("TAG")
        return before if "TAG " in text else before.rstrip()


def test_images_text_tail_cue_and_prefix_in_their_order() -> None:
    group = Group(SETUP, ("a", "b"), "why ? ", cue="\nscore :", assistant="one\ntwo\n", system=" be fair ")
    text = Chat(Template(EXACT), "folder").prompt(Request(group, " tail", 0))
    assert text == (
        "<system> be fair </>\n<user><image><image>why ?  tail\nscore :</>\n<assistant>one\ntwo\n"
    )


def test_the_template_is_run_once_for_all_requests_of_one_shape() -> None:
    template = Template(EXACT)
    chat = Chat(template, "folder")
    before = template.calls
    for index in range(50):
        chat.prompt(Request(Group(SETUP, ("a",), f"why {index} ?"), None, 0))
    assert template.calls == before + 1


def test_a_template_that_rewrites_user_texts_still_renders_them() -> None:
    source = EXACT.replace("{{ c.text }}", "{{ c.text | upper if m.role == 'user' else c.text }}")
    text = Chat(Template(source), "folder").prompt(Request(Group(SETUP, (), "why ?", assistant="one\n")))
    assert text == "<user>WHY ?</>\n<assistant>one\n"


@pytest.mark.parametrize(
    "source",
    [
        EXACT.replace("{{ c.text }}", "{{ c.text | trim }}"),
        EXACT.replace("<assistant>{% endif %}", "<assistant>think {% endif %}"),
    ],
)
def test_a_template_that_does_not_continue_a_prefix_exactly_is_refused(source: str) -> None:
    with pytest.raises(UserError, match="continue an assistant message") as caught:
        Chat(Template(source), "weights/x")
    assert caught.value.where == "weights/x"


def test_the_opening_is_what_requests_of_a_group_share() -> None:
    chat = Chat(Template(EXACT), "folder")
    group = Group(SETUP, ("a",), "why ?\nstep :\n", cue="\nscore :")
    opening = chat.opening(Request(group, "one"))
    assert opening == "<user><image>why ?\nstep :\n"
    assert all(chat.prompt(Request(group, tail)).startswith(opening) for tail in ("one", "two"))
