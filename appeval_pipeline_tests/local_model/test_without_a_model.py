"""What can be told before a model runs: what is missing, and which server is used."""

import http.server
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from appeval_pipeline.errors import SettingsError
from appeval_pipeline.local_model import find_model_file, local_url, reachable_or_serving, running_server
from appeval_pipeline.local_model.model_file import require_library

INSTALL = 'pip install -c constraints.txt -e ".[local-llm]" && pip install --no-deps -r data-packages.txt'


@contextmanager
def answering(status: int, body: bytes) -> Iterator[str]:
    """A web server on loopback that gives the same answer to everything; its URL with ``/v1``."""

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    with http.server.HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join()


def closed_url() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


LISTING = json.dumps({"object": "list", "data": [{"id": "small"}]}).encode()


def package(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    (made / "__init__.py").write_text("raise RuntimeError('the package was executed')\n")
    return made


def test_the_file_is_found_without_running_the_package_that_carries_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = package(tmp_path, "carries_a_model") / "small.gguf"
    model.touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert find_model_file("carries_a_model") == model


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("not_there_at_all", "not_there_at_all is not installed"),
        ("carries_nothing", "carries_nothing holds no GGUF file"),
    ],
)
def test_a_missing_file_is_told_with_what_to_install(
    name: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path, "carries_nothing")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SettingsError) as caught:
        find_model_file(name)
    assert str(caught.value) == f"There is no model: {fault}; install it: {INSTALL}"


def test_a_missing_library_is_told_with_what_to_install() -> None:
    with pytest.raises(SettingsError) as caught:
        require_library("not_there_at_all")
    assert str(caught.value) == (
        f"The local model cannot run: not_there_at_all is not installed; install it: {INSTALL}"
    )


def test_a_path_without_a_file_is_no_model(tmp_path: Path) -> None:
    missing = tmp_path / "missing.gguf"
    with (
        pytest.raises(SettingsError, match=r"There is no model file .*missing\.gguf"),
        running_server(model_file=missing),
    ):
        pass


def test_a_port_that_is_taken_is_refused_before_anything_starts(tmp_path: Path) -> None:
    model = tmp_path / "small.gguf"
    model.touch()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        fault = f"Cannot listen on 127.0.0.1:{port}: Address already in use"
        with pytest.raises(SettingsError, match=fault), running_server(port, model_file=model):
            pass


def test_a_server_that_lists_models_is_a_model_s() -> None:
    with answering(200, LISTING) as url:
        assert local_url(url) == url
        assert local_url(url + "/") == url


@pytest.mark.parametrize(
    ("status", "body"),
    [
        pytest.param(200, b"<html>Welcome</html>", id="a page"),
        pytest.param(200, b"[]", id="another interface"),
        pytest.param(200, b'{"data": "none"}', id="another listing"),
        pytest.param(404, b"{}", id="not found"),
        pytest.param(503, b'{"error": "loading model"}', id="still loading"),
    ],
)
def test_what_does_not_list_models_is_none(status: int, body: bytes) -> None:
    with answering(status, body) as url:
        assert local_url(url) is None


@pytest.mark.parametrize("url", ["http://", "nonsense", "http://127.0.0.1:99999/v1"])
def test_an_address_that_is_none_has_no_model(url: str) -> None:
    assert local_url(url) is None


def test_nobody_listening_is_no_model() -> None:
    assert local_url(closed_url()) is None


def test_no_proxy_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", closed_url())
    monkeypatch.setenv("no_proxy", "")
    with answering(200, LISTING) as url:
        assert local_url(url) == url


def test_a_running_server_is_used() -> None:
    with answering(200, LISTING) as url, reachable_or_serving(url) as used:
        assert used == url


def test_an_address_that_was_set_and_does_not_answer_is_an_error() -> None:
    url = closed_url()
    fault = f"APPEVAL_LOCAL_MODEL_URL: no model answers at {url}"
    with pytest.raises(SettingsError, match=fault), reachable_or_serving(url):
        pass
