"""The pytest plugin: the fixture `tape` and the marker of the same name."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any, Dict, Generator, List, Tuple

import pytest

from .answers import HandWritten
from .errors import TapeError, TapeMissWarning, TapeNoteWarning
from .faults import CallFault
from .server import ReplayServer
from .tape import Tape

_MARKER = (
    "tape(volatile=[], faults=[], answers=[], exact=None, app=None, speed=None): options of the test's tape: JSON pointers of request "
    "fields that are not compared, faults of calls, hand-written answers, whether only requests match that are exactly "
    "equal, whether the calls of other processes, such as the app that it tests, are on this tape, and the speed of answers: "
    "max, recorded or a factor."
)
_IDLE = (
    "No call came to the tape of this test{unused}. Clients without base_url=tape.openai are only intercepted with: "
    "npx @tapedeck/testing run -- pytest"
)
_UNUSED = ", whose recordings were not used: {count}"
_APP = "The calls of the app are only intercepted with: npx @tapedeck/testing run -- pytest"
_CONFIG_FILE_NAME = "tapedeck.config.json"
_FLAGS = ("exact", "app", "speed")
_OPTIONS = {"volatile", "faults", "answers", *_FLAGS}

_tape_key = pytest.StashKey[Tape]()
_passed_key = pytest.StashKey[bool]()
_server_key = pytest.StashKey[ReplayServer]()
#: Whether a test rightly made no calls: it was skipped, or failed as expected.
_may_be_idle_key = pytest.StashKey[bool]()
#: Why no call may have come to the tape of a test that passed.
_idle_key = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker."""
    config.addinivalue_line("markers", _MARKER)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stops the server of this process."""
    server = config.stash.get(_server_key, None)
    if server is not None:
        server.close()


def _project_folder(config: pytest.Config) -> Path:
    """Returns the folder where pytest was started, as `tapedeck run` does, or else that of its configuration."""
    started = Path(str(config.invocation_params.dir))
    has_tapes = (started / _CONFIG_FILE_NAME).exists() or (started / "tapes").is_dir()
    return started if has_tapes else config.rootpath


def _proxy(config: pytest.Config) -> Tuple[str, str]:
    """Returns the URL of the proxy and its token."""
    running = os.environ.get("TAPEDECK_PROXY")
    if running:
        return running, os.environ.get("TAPEDECK_TOKEN", "")
    if _server_key not in config.stash:
        server = ReplayServer(_project_folder(config))
        # As under `tapedeck run`: SDKs refuse to start without a key, although none is needed to replay.
        os.environ.update(server.placeholder_keys)
        config.stash[_server_key] = server
    started = config.stash[_server_key]
    return started.origin, started.token


def _idle_notes(tape: Tape) -> List[str]:
    """Returns why no request may have come to a tape without `tapedeck run`."""
    if "TAPEDECK_PROXY" in os.environ or tape.requests():
        return []
    count = len(tape.unused())
    return [_IDLE.format(unused=_UNUSED.format(count=count) if count else "")]


def _tell_idle(node: pytest.Item, tape: Tape) -> None:
    """Fails a test whose clients did not ask its recordings; without recordings, the summary has a note."""
    for note in _idle_notes(tape):
        if tape.unused():
            pytest.fail(note, pytrace=False)
        node.stash[_idle_key] = note


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tells once that no call came to the tape of a test that passed."""
    # Reports come from the processes of pytest-xdist too.
    reports = [report for found in terminalreporter.stats.values() for report in found]
    for report in [each for each in reports if hasattr(each, "tapedeck_idle")][:1]:
        terminalreporter.write_sep("=", "Tapedeck")
        terminalreporter.write_line(f"{report.nodeid}: {report.tapedeck_idle}")


def tape_name(node: pytest.Item) -> str:
    """Returns the name of a test: `tests/test_trip.py > test_packs[Lisbon]`."""
    node_id = node.nodeid
    for group in node.iter_markers("xdist_group"):
        # With `--dist loadgroup`, pytest-xdist appends the name of the group.
        name = group.kwargs.get("name", group.args[0] if group.args else "default")
        if node_id.endswith(f"@{name}"):
            node_id = node_id[: -len(name) - 1]
    folder = os.environ.get("TAPEDECK_FOLDER")
    # In a package of a larger project, tests of other packages can have the same name.
    package = os.path.relpath(node.config.rootpath, folder) if folder else os.curdir
    if package != os.curdir and not package.startswith(os.pardir):
        node_id = f"{package}/{node_id}"
    return node_id.replace("::", " > ")


def _options(node: pytest.Item) -> Dict[str, Any]:
    """Returns the options of a test's markers: lists are joined, and the closest `exact`, `app` and `speed` count."""
    volatile: List[str] = []
    faults: List[CallFault] = []
    answers: List[HandWritten] = []
    flags: Dict[str, Any] = {}
    for marker in node.iter_markers("tape"):
        unknown = sorted(set(marker.kwargs) - _OPTIONS)
        if marker.args or unknown:
            what = f"no option {', '.join(unknown)}" if unknown else "no positional arguments"
            raise TapeError(f"The marker tape has {what}; it takes {', '.join(sorted(_OPTIONS))}.")
        volatile = [*marker.kwargs.get("volatile", []), *volatile]
        faults = [*marker.kwargs.get("faults", []), *faults]
        # Those of the test come before those of its class, as the first that matches is given.
        answers = [*answers, *marker.kwargs.get("answers", [])]
        flags = {**{name: marker.kwargs[name] for name in _FLAGS if name in marker.kwargs}, **flags}
    return {"volatile": volatile, "faults": faults, "answers": answers, **flags}


@pytest.fixture
def tape(request: pytest.FixtureRequest) -> Generator[Tape, None, None]:
    """The tape of the test: base URLs for the SDKs of the model providers, and the requests that they got."""
    node = request.node
    try:
        options = _options(node)
        if options.get("app") and "TAPEDECK_PROXY" not in os.environ:
            raise TapeError(_APP)
        origin, token = _proxy(request.config)
        started = Tape(origin, tape_name(node), token=token, **options)
    except TapeError as error:
        pytest.fail(str(error), pytrace=False)
    node.stash[_tape_key] = started
    yield started
    has_passed = node.stash.get(_passed_key, False)
    misses = started.misses() if has_passed else []
    notes = started.end(has_passed)
    # A proxy tells its notes itself.
    for note in notes if has_passed and "TAPEDECK_PROXY" not in os.environ else []:
        warnings.warn(TapeNoteWarning(note), stacklevel=1)
    for miss in misses:
        warnings.warn(TapeMissWarning(miss), stacklevel=1)
    if has_passed and not node.stash[_may_be_idle_key]:
        _tell_idle(node, started)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    """Adds the misses of a test to its report, and the notes of one that failed."""
    outcome = yield
    report: Any = outcome.get_result()
    if call.when == "teardown" and _idle_key in item.stash:
        report.tapedeck_idle = item.stash[_idle_key]
    if call.when != "call" or _tape_key not in item.stash:
        return
    item.stash[_passed_key] = not report.failed
    item.stash[_may_be_idle_key] = report.skipped or hasattr(report, "wasxfail")
    tape = item.stash[_tape_key]
    try:
        texts = [*([*_idle_notes(tape), *tape.notes()] if report.failed else []), *tape.misses()]
    except TapeError as error:
        report.sections.append(("Tapedeck", str(error)))
        return
    if texts:
        report.sections.append(("Tapedeck", "\n\n".join(texts)))
