"""Files of recorded actions."""

from pathlib import Path

import pytest

from appeval_pipeline.agents import ToolCall
from appeval_pipeline.agents.recording import MOST_ACTIONS, MOST_BYTES, read_actions
from appeval_pipeline.errors import TrajectoryError

TRAJECTORY = """\
agent: one
steps:
  - {index: 0, action: {kind: tool_call, name: pay, arguments: {amount: 2}}, observation: ok}
  - {index: 1, action: {kind: reply, content: done}}
"""


def read(tmp_path: Path, text: str) -> tuple[ToolCall, ...]:
    path = tmp_path / "actions.yaml"
    path.write_text(text)
    return read_actions(path)


def test_a_list_of_actions_is_read_in_order(tmp_path: Path) -> None:
    text = "[{action: pay, params: {amount: 2}}, {action: look}]"
    assert read(tmp_path, text) == (ToolCall("pay", {"amount": 2}), ToolCall("look", {}))


def test_of_a_trajectory_the_calls_count(tmp_path: Path) -> None:
    assert read(tmp_path, TRAJECTORY) == (ToolCall("pay", {"amount": 2}),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "valid list"),
        ("{steps: 3}", "valid list"),
        ("[{params: {}}]", r"0\.action: Field required; expected a list of {action, params}"),
        ("[{action: pay, arguments: {}}]", r"0\.arguments: Extra inputs"),
        ("[1]", "0: "),
        ("{steps: [{action: {kind: tool_call}}]}", r"0\.action"),
        ("{", "neither YAML nor JSON"),
        ("!!python/object/apply:os.getcwd []", "neither YAML nor JSON"),
        (str([{"action": "look"}] * (MOST_ACTIONS + 1)), "at most 1000"),
    ],
)
def test_what_is_none_says_where_and_what_would_be(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TrajectoryError, match=message):
        read(tmp_path, text)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TrajectoryError, match=r"nothing\.yaml cannot be read"):
        read_actions(tmp_path / "nothing.yaml")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no file without an end")
def test_a_file_without_an_end_is_too_large() -> None:
    with pytest.raises(TrajectoryError, match=f"more than {MOST_BYTES:,} bytes"):
        read_actions(Path("/dev/zero"))
