"""Nobody but the page itself can ask, nothing reaches the disk, and the browser is told what may be loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tiltmeter.errors import InputError
from tiltmeter.explorer.app import create_app
from tiltmeter.explorer.live import LiveModel
from tiltmeter.explorer.page import files
from tiltmeter.explorer.security import POLICY, Hosts
from tiltmeter.explorer.server import Settings, address, serve

from .ask import API, BASE, Ask

pytest.importorskip("starlette.testclient")

from starlette.testclient import TestClient

TOKEN = "0123456789abcdef"


@pytest.fixture(scope="module")
def locked(sources: list[LiveModel]) -> Iterator[TestClient]:
    """One that listens on all interfaces, and has a token."""
    app = create_app(sources, hosts=Hosts.of("0.0.0.0", 8000), token=TOKEN, page={})
    with TestClient(app, base_url="http://192.0.2.7:8000", follow_redirects=False) as client:
        yield client


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "LOCALHOST:8000"])
def test_our_own_names_are_answered(host: str) -> None:
    assert Hosts.of("127.0.0.1", 8000).allow(host)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8000",
        "127.0.0.1.evil.example:8000",
        "localhost.evil.example:8000",
        "127.0.0.1:8001",
        "127.0.0.1",
        "192.0.2.7:8000",
        "evil@127.0.0.1:8000",
        "127.0.0.1:8000/evil",
        "127.0.0.1:port",
        "[::1",
        "",
        "127.0.0.1:8000?",
        "127.0.0.1:8000#evil.example",
    ],
)
def test_other_names_are_not_answered(host: str) -> None:
    """Else a name that its owner lets point to this machine (DNS rebinding) would be of the page's own origin."""
    assert not Hosts.of("127.0.0.1", 8000).allow(host)


def test_beyond_this_machine_any_address_in_numbers_is_ours_but_no_foreign_name() -> None:
    hosts = Hosts.of("0.0.0.0", 8000, ("bias.example",))
    assert hosts.allow("192.0.2.7:8000")
    assert hosts.allow("bias.example:8000")
    assert not hosts.allow("evil.example:8000")


def test_a_foreign_host_is_refused(ask: Ask) -> None:
    response = ask.client.get(f"{API}/catalogue", headers={"Host": "evil.example:8000"})
    assert response.status_code == 403
    assert response.json()["error"]["code"] == "forbidden"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9000"},
        {"Origin": "https://127.0.0.1:8000"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_site_cannot_ask(ask: Ask, headers: dict[str, str]) -> None:
    assert ask.client.get(f"{API}/catalogue", headers=headers).status_code == 403


def test_the_page_itself_can_ask(ask: Ask) -> None:
    headers = {"Origin": BASE, "Sec-Fetch-Site": "same-origin"}
    assert ask.client.get(f"{API}/catalogue", headers=headers).status_code == 200


def test_a_link_from_elsewhere_opens_the_page(sources: list[LiveModel]) -> None:
    app = create_app(sources, hosts=Hosts.of("127.0.0.1", 0))
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert TestClient(app, base_url=BASE).get("/?targets=occupation", headers=headers).status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "HEAD"])
def test_nothing_can_be_changed(ask: Ask, method: str) -> None:
    response = ask.client.request(method, f"{API}/catalogue")
    assert response.status_code == 405
    assert response.headers["allow"] == "GET"


def test_a_request_has_no_body_and_a_short_address(ask: Ask) -> None:
    assert ask.client.request("GET", f"{API}/catalogue", content=b"x").status_code == 413
    assert ask.client.get(f"{API}/catalogue", params={"x": "y" * 9_000}).status_code == 414


@pytest.mark.parametrize("path", ["/", f"{API}/catalogue", f"{API}/nothing", "/nothing"])
def test_every_response_says_what_may_be_loaded(ask: Ask, path: str) -> None:
    headers = ask.client.get(path).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers
    assert "unsafe" not in POLICY


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/assets/..%2f..%2fapp.py",
        "//etc/passwd",
        "/..%5c..%5cwindows",
        "/assets/%00",
        "/.env",
    ],
)
def test_no_path_reaches_the_disk(sources: list[LiveModel], tmp_path: Path, path: str) -> None:
    (tmp_path / "index.html").write_text("<p>page", encoding="utf-8")
    (tmp_path / ".env").write_text("secret", encoding="utf-8")
    app = create_app(sources, hosts=Hosts.of("127.0.0.1", 0), page=files(tmp_path))
    (tmp_path / "later.js").write_text("1", encoding="utf-8")
    client = TestClient(app, base_url=BASE)
    assert client.get(path).status_code == 404
    assert client.get("/later.js").status_code == 404  # what was not there at the start is not there
    assert client.get("/").text == "<p>page"


def test_beyond_this_machine_a_token_is_demanded(locked: TestClient) -> None:
    locked.cookies.clear()
    assert locked.get(f"{API}/catalogue").status_code == 401
    assert locked.get("/").status_code == 401
    assert locked.get("/", params={"token": TOKEN[:-1] + "0"}).status_code == 401
    # In an address of data it is not taken: there it would end up in logs and links.
    assert locked.get(f"{API}/catalogue", params={"token": TOKEN}).status_code == 401
    assert locked.get(f"{API}/catalogue", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert locked.get(f"{API}/catalogue", headers=[(b"Authorization", "Bearer é".encode())]).status_code == 401


def test_the_token_becomes_a_cookie_and_leaves_the_address(locked: TestClient) -> None:
    locked.cookies.clear()
    response = locked.get("//evil.example/", params={"token": TOKEN, "targets": "country"})
    assert response.status_code == 303
    assert response.headers["location"] == "/?targets=country"
    cookie = response.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert locked.get(f"{API}/catalogue").status_code == 200
    locked.cookies.clear()


def test_another_interface_gets_a_token_without_asking(
    monkeypatch: pytest.MonkeyPatch, sources: list[LiveModel]
) -> None:
    import uvicorn

    monkeypatch.setattr(uvicorn.Server, "run", lambda *_, **__: None)
    printed: list[str] = []
    serve(sources, Settings(host="0.0.0.0"), printed.append)
    assert len(printed[0].partition("?token=")[2]) == 32
    serve(sources, Settings(), printed.append)
    assert "token" not in printed[1]


@pytest.mark.parametrize("settings", [Settings(token="short"), Settings(host="no such host"), Settings(port=99_999)])
def test_settings_that_cannot_be_served_are_refused(settings: Settings, sources: list[LiveModel]) -> None:
    with pytest.raises(InputError):
        serve(sources, settings, lambda _: None)


def test_the_address_can_be_opened() -> None:
    assert address("127.0.0.1", 8000, None) == "http://127.0.0.1:8000/"
    assert address("::1", 8000, TOKEN) == f"http://[::1]:8000/?token={TOKEN}"
