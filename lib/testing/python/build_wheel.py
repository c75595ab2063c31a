"""Builds the wheel, and is the backend for `pip install` of this folder. The same sources give the same bytes."""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import subprocess
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Tuple

try:
    import tomllib  # type: ignore[import-not-found,unused-ignore]
except ImportError:  # Python 3.9 and 3.10
    from pip._vendor import tomli as tomllib  # type: ignore[import-not-found,no-redef,unused-ignore]

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[2]
_SOURCES = _HERE / "src"
#: The earliest date that a zip file can have.
_DATE = (1980, 1, 1, 0, 0, 0)
_FILE_MODE = 0o644
_UNIX = 3


def _metadata(project: Dict[str, Any], version: str, licenses: Iterable[str]) -> str:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {name}" for name in licenses),
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        "Description-Content-Type: text/markdown",
    ]
    readme = (_HERE / project["readme"]).read_text(encoding="utf-8")
    return "\n".join(lines) + f"\n\n{readme}"


def _entry_points(groups: Dict[str, Dict[str, str]]) -> str:
    lines: List[str] = []
    for group, entries in groups.items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()), ""]
    return "\n".join(lines)


def _record_line(name: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def _proxy() -> Tuple[bytes, bytes]:
    """Returns the recording proxy as one file for Node.js, with all that it imports, and the licenses of these packages."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "proxy.cjs"
        entry = (_HERE / "proxy.ts").relative_to(_ROOT).as_posix()
        subprocess.run(["node", str(_HERE.parent / "bundle.mjs"), entry, str(file)], check=True)
        return file.read_bytes(), (file.parent / "LICENSES.md").read_bytes()


def _write(path: Path, files: Dict[str, bytes]) -> None:
    # Stored without compression: what zlib writes depends on its version.
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, _DATE)
            info.create_system = _UNIX
            info.external_attr = _FILE_MODE << 16
            archive.writestr(info, data)


def build_wheel(
    wheel_directory: str,
    config_settings: Optional[Dict[str, Any]] = None,
    metadata_directory: Optional[str] = None,
) -> str:
    """Writes the wheel into a folder, and returns its name (PEP 517)."""
    project = tomllib.loads((_HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = json.loads((_ROOT / "package.json").read_text(encoding="utf-8"))["version"]
    name = f"{project['name'].replace('-', '_')}-{version}"
    info = f"{name}.dist-info"
    sources = sorted(path for path in _SOURCES.rglob("*") if path.suffix == ".py" or path.name == "py.typed")
    files = {path.relative_to(_SOURCES).as_posix(): path.read_bytes() for path in sources}
    files["tapedeck_testing/proxy.cjs"], others = _proxy()
    licenses = {"LICENSE": (_ROOT / "LICENSE").read_bytes(), "LICENSES.md": others}
    files.update((f"{info}/licenses/{license}", text) for license, text in licenses.items())
    files[f"{info}/METADATA"] = _metadata(project, version, licenses).encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: tapedeck\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/entry_points.txt"] = _entry_points(project["entry-points"]).encode()
    record: List[str] = [_record_line(file, data) for file, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    folder = Path(wheel_directory)
    folder.mkdir(parents=True, exist_ok=True)
    wheel = f"{name}-py3-none-any.whl"
    _write(folder / wheel, files)
    return wheel


def build_sdist(sdist_directory: str, config_settings: Optional[Dict[str, Any]] = None) -> str:
    """Source archives are not offered, because the version and license are those of the repository (PEP 517)."""
    raise NotImplementedError("Build a wheel instead: npm run package:python")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Builds the wheel of the pytest plugin.")
    parser.add_argument("--out", type=Path, default=_ROOT / ".tapedeck" / "package", help="folder of the wheel")
    target = parser.parse_args().out.resolve()
    built = target / build_wheel(str(target))
    print(f"{built}: {built.stat().st_size} bytes")
