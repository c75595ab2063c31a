"""Settings of a project: `tapedeck.config.json`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Mapping, Sequence, Tuple

from .cassette import read_json
from .errors import TapeError
from .request import MIN_REDACT_LENGTH
from .providers import BUILT_IN_UPSTREAMS, PROVIDERS, Provider

CONFIG_FILE_NAME = "tapedeck.config.json"
_DEFAULT_TAPES = "tapes"


@dataclass(frozen=True)
class Config:
    """Settings of a project, as far as replay needs them."""

    #: Folder of the tapes.
    tapes: Path
    #: Protocols behind each upstream, by its name in URLs.
    upstreams: Mapping[str, Sequence[Provider]]
    #: JSON pointers of request fields that are not compared in any test.
    volatile: Tuple[str, ...] = ()
    #: Texts that the tapes have asterisks for.
    redact: Tuple[str, ...] = ()
    #: Whether only requests match that are exactly equal.
    exact: bool = False


def _texts(document: Mapping[str, Any], name: str, path: Path) -> Tuple[str, ...]:
    value = document.get(name, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TapeError(f"{path}: {name}: must be a list of texts")
    return tuple(value)


def _upstreams(document: Mapping[str, Any], path: Path) -> Dict[str, Sequence[Provider]]:
    upstreams: Dict[str, Sequence[Provider]] = dict(BUILT_IN_UPSTREAMS)
    added = document.get("upstreams", {})
    if not isinstance(added, dict):
        raise TapeError(f"{path}: upstreams: must be an object")
    for name, setting in added.items():
        provider = PROVIDERS.get(setting.get("provider", "")) if isinstance(setting, dict) else None
        if provider is None:
            raise TapeError(f"{path}: upstreams.{name}.provider: must be one of {', '.join(PROVIDERS)}")
        upstreams[name] = (provider,)
    return upstreams


def load_config(folder: Path) -> Config:
    """Reads `tapedeck.config.json` of a folder; without the file, the defaults. Raises TapeError."""
    path = folder / CONFIG_FILE_NAME
    try:
        document = read_json(path)
    except FileNotFoundError:
        document = {}
    if not isinstance(document, dict):
        raise TapeError(f"{path}: the file: must be an object")
    redact = _texts(document, "redact", path)
    for index, text in enumerate(redact):
        if len(text) < MIN_REDACT_LENGTH:
            raise TapeError(f"{path}: redact.{index}: must have at least {MIN_REDACT_LENGTH} characters")
    tapes, exact = document.get("tapes", _DEFAULT_TAPES), document.get("exact", False)
    if not isinstance(tapes, str) or not tapes:
        raise TapeError(f"{path}: tapes: must be the path of a folder")
    if not isinstance(exact, bool):
        raise TapeError(f"{path}: exact: must be true or false")
    return Config(
        tapes=folder / tapes,
        upstreams=_upstreams(document, path),
        volatile=_texts(document, "volatile", path),
        redact=redact,
        exact=exact,
    )
