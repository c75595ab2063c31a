"""Names of the folders of tapes. The same as those of the recording proxy."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import List

#: Longest name of a folder, in characters.
_MAX_NAME_LENGTH = 80


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", unicodedata.normalize("NFKD", text).lower()).strip("-")


def _folder_name(text: str) -> str:
    slug = _slug(text)[:_MAX_NAME_LENGTH].rstrip("-")
    # A hash is added where the words alone could belong to two texts.
    if slug and re.sub(r"[ ._/\\-]+", "-", text) == slug:
        return slug
    digest = hashlib.sha256(re.sub("[\ud800-\udfff]", "\ufffd", text).encode()).hexdigest()
    return f"{slug or 'test'}-{digest[:6]}"


def tape_folder(test: str) -> List[str]:
    """
    Returns the folder of a test below that of all tapes: `tests/test_trip.py > test_packs` is
    `tests/test-trip-py/test-packs`.
    """
    file, *names = re.split(r" > |::", test)
    path = [part for part in re.split(r"[/\\]", file) if part not in ("", ".", "..")] if names else []
    return [*map(_folder_name, path), _folder_name(" > ".join(names) if names else file)]
