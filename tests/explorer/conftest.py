"""An explorer on tiny real models, in this process and in one of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra 'explorer'")
pytest.importorskip("torch", reason="language models need the extra 'lm'")

from tiltmeter.explorer.app import create_app
from tiltmeter.explorer.live import LiveModel
from tiltmeter.explorer.security import Hosts

from .ask import BASE, Ask
from .served import build_models, served

if TYPE_CHECKING:
    from tiltmeter.models.masked import MaskedModel


@pytest.fixture(scope="session")
def model_folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two models: the second leans half as much."""
    return build_models(tmp_path_factory.mktemp("explorer-models"), 2)


@pytest.fixture(scope="session")
def models(model_folders: list[Path]) -> list[MaskedModel]:
    """The same, loaded."""
    from tiltmeter.models.masked import MaskedModel

    return [MaskedModel.open(folder, several_tokens=False) for folder in model_folders]


@pytest.fixture(scope="session")
def sources(models: list[MaskedModel]) -> list[LiveModel]:
    return [LiveModel(id, model, name=id) for id, model in zip(("small", "other"), models, strict=True)]


@pytest.fixture(scope="session")
def ask(sources: list[LiveModel]) -> Iterator[Ask]:
    """Asks an explorer of both models, and expects 200 unless told otherwise."""
    from starlette.testclient import TestClient

    app = create_app(sources, hosts=Hosts.of("127.0.0.1", 0), page={})
    with TestClient(app, base_url=BASE) as client:
        yield Ask(client)


@pytest.fixture(scope="session")
def explorer_address(model_folders: list[Path]) -> Iterator[str]:
    """The address of a real server on both models."""
    with served(model_folders[0].parent, models=2) as address:
        yield address
