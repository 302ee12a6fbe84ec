"""Files that are written as a whole: devices, pipes and links are left what they are."""

import os
import threading
from pathlib import Path

import pytest

from appeval_pipeline.taubench.writing import write_whole


def test_a_file_is_written_over_another_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text("before")
    write_whole(path, "é\r\n")
    assert path.read_bytes() == "é\r\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_goes_on_leading_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "latest.json"
    link.symlink_to(tmp_path / "there" / "results.json")
    write_whole(link, "text")
    assert link.is_symlink()
    assert (tmp_path / "there" / "results.json").read_text() == "text"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "text")
    reader.join(timeout=10)
    assert heard == ["text"]
    assert pipe.is_fifo()


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    with pytest.raises(OSError, match="directory"):
        write_whole(taken, "text")
    assert list(tmp_path.iterdir()) == [taken]
