"""The builder of the trace tree: its columns, and the contradictions it refuses."""

import numpy as np
import pytest

from verdict_assets.verification.tree import End, TreeBuilder

SCORES = np.array([[0.1, 0.2], [0.3, np.nan]])


@pytest.fixture
def builder() -> TreeBuilder:
    """root -> a -> (b, c); b is a leaf."""
    found = TreeBuilder(candidates=2, judges=2)
    found.add_question("q", "root")
    found.add_node("a", "root")
    found.set_candidates("root", ["a"])
    found.add_node("b", "a", End.EOS)
    found.add_node("c", "a")
    found.set_candidates("a", ["b", "c"])
    return found


def test_columns(builder: TreeBuilder) -> None:
    builder.set_scores("a", "greedy", SCORES)
    builder.set_answer("b", True)
    tree = builder.build()
    assert tree.questions == ("q",)
    assert tree.ids == ("root", "a", "b", "c")
    assert tree.root.tolist() == [0]
    assert tree.question.tolist() == [0, 0, 0, 0]
    assert tree.depth.tolist() == [0, 1, 2, 2]
    assert tree.parent.tolist() == [-1, 0, 1, 1]
    assert tree.child.tolist() == [[1, -1], [2, 3], [-1, -1], [-1, -1]]
    assert tree.judged.tolist() == [False, True, False, True]
    assert tree.sampled.tolist() == [True, True, False, False]
    assert tree.terminal.tolist() == [False, False, True, False]
    assert tree.end.tolist() == [End.NONE, End.NONE, End.EOS, End.NONE]
    assert tree.answered.tolist() == [False, False, True, False]
    assert tree.correct.tolist() == [False, False, True, False]
    assert tree.scored["greedy"].tolist() == [False, True, False, False]
    np.testing.assert_array_equal(tree.scores["greedy"][1], SCORES)
    assert np.isnan(tree.scores["greedy"][0]).all()
    assert tree.candidates == 2


def test_empty_tree() -> None:
    tree = TreeBuilder(candidates=3, judges=3).build()
    assert tree.ids == ()
    assert tree.child.shape == (0, 3)
    assert not tree.scores


def test_judging_the_first_step_is_an_option() -> None:
    builder = TreeBuilder(candidates=2, judges=2, judge_first_step=True)
    builder.add_question("q", "root")
    builder.add_node("a", "root")
    builder.set_candidates("root", ["a"])
    tree = builder.build()
    assert tree.judged.tolist() == [True, True]
    assert tree.sampled.tolist() == [False, False]


def test_candidates_with_the_same_text_share_a_child(builder: TreeBuilder) -> None:
    builder.add_node("d", "c")
    builder.set_candidates("c", ["d", "d"])
    assert builder.build().child[3].tolist() == [4, 4]


def test_facts_may_be_repeated_and_completed(builder: TreeBuilder) -> None:
    builder.add_question("q", "root")
    builder.add_node("b", "a", End.EOS)
    builder.add_node("d", "c")
    builder.set_candidates("c", ["d"])
    assert not builder.build().sampled[3]
    builder.add_node("e", "c")
    builder.set_candidates("c", ["d", "e"])
    builder.set_candidates("c", ["d"])
    builder.set_scores("a", "greedy", SCORES)
    builder.set_scores("a", "greedy", SCORES.copy())
    builder.set_answer("b", False)
    builder.set_answer("b", False)
    tree = builder.build()
    assert tree.sampled[3]
    assert tree.child[3].tolist() == [4, 5]
    assert tree.answered[2]
    assert not tree.correct[2]


def test_membership(builder: TreeBuilder) -> None:
    assert "b" in builder
    assert "z" not in builder


def test_later_facts_do_not_change_a_tree_already_built(builder: TreeBuilder) -> None:
    tree = builder.build()
    builder.set_answer("b", True)
    builder.set_scores("a", "greedy", SCORES)
    assert not tree.answered.any()
    assert not tree.scores


def test_contradictions_are_refused(builder: TreeBuilder) -> None:
    builder.set_scores("a", "greedy", SCORES)
    builder.set_answer("b", True)
    with pytest.raises(ValueError, match="already has another root"):
        builder.add_question("q", "a")
    with pytest.raises(ValueError, match="already known elsewhere"):
        builder.add_question("other", "b")
    with pytest.raises(ValueError, match="another parent or another end"):
        builder.add_node("b", "a", End.CAP)
    with pytest.raises(ValueError, match="another parent or another end"):
        builder.add_node("b", "c", End.EOS)
    with pytest.raises(ValueError, match="where the chain has ended"):
        builder.add_node("d", "b")
    with pytest.raises(ValueError, match="already has other candidates"):
        builder.set_candidates("a", ["c", "b"])
    with pytest.raises(ValueError, match="already has other scores"):
        builder.set_scores("a", "greedy", SCORES / 2)
    with pytest.raises(ValueError, match="already has another answer"):
        builder.set_answer("b", False)


def test_malformed_facts_are_refused(builder: TreeBuilder) -> None:
    with pytest.raises(ValueError, match="never added"):
        builder.add_node("d", "nowhere")
    with pytest.raises(ValueError, match="never added"):
        builder.set_candidates("a", ["nowhere"])
    with pytest.raises(ValueError, match="3 candidates, but the tree holds 2"):
        builder.set_candidates("a", ["b", "c", "b"])
    with pytest.raises(ValueError, match="another parent: a"):
        builder.set_candidates("c", ["a"])
    with pytest.raises(ValueError, match="shape"):
        builder.set_scores("a", "greedy", SCORES.T[:1])
    with pytest.raises(ValueError, match=r"outside \[0, 1\]: \[1.5\]"):
        builder.set_scores("a", "greedy", np.array([[1.5, 0.0], [0.0, 0.0]]))
    with pytest.raises(ValueError, match="not a leaf"):
        builder.set_answer("a", True)
    with pytest.raises(ValueError, match="at least one candidate"):
        TreeBuilder(candidates=0, judges=2)
    with pytest.raises(ValueError, match="at least one judge"):
        TreeBuilder(candidates=2, judges=0)
