import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Command } from "commander";
import { describe, expect, inject, it } from "vitest";
import { endpoints } from "#app/endpoints";
import { tapedeckCommand } from "#lib/cli/program";
import { cronJobs } from "#lib/jobs/index";
import { variables } from "#lib/platform/config";
import { version } from "#lib/platform/version";
import packageJson from "../../package.json" with { type: "json" };

const root = resolve(import.meta.dirname, "../..");
const docsFolder = join(root, "content/docs");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const pages = readdirSync(docsFolder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
const everything = pages.map((page) => read(`content/docs/${page}`)).join("\n");
const run = promisify(execFile);

/** Commands that do something, with the words that call them: `cassettes list`, `database start`, … */
function leavesOf(command: Command, words: string[] = []): { words: string; help: string }[] {
  if (command.commands.length === 0) return [{ words: words.join(" "), help: command.helpInformation() }];
  return command.commands.flatMap((child) => leavesOf(child, [...words, child.name()]));
}

describe("the docs", () => {
  it("name every environment variable, and no other", () => {
    const documented = [...read("content/docs/configuration.md").matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell]) =>
      [...(cell as string).matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name as string),
    );
    const forTests = ["CHROMIUM_PATH"];
    expect(documented.filter((name) => !forTests.includes(name)).sort()).toEqual(Object.keys(variables).sort());
  });

  it("name every endpoint", () => {
    for (const { path } of endpoints)
      expect([path, everything.includes(path.replace(/\{.*$/, ""))]).toEqual([path, true]);
  });

  it("name every command, each of which has help", async () => {
    const page = read("content/docs/cli.md");
    const commands = leavesOf(await tapedeckCommand());
    expect(commands.length).toBeGreaterThan(30);
    for (const { words, help } of commands) {
      expect([words, page.includes(`\`tapedeck ${words}\``)]).toEqual([words, true]);
      expect([words, help.split("\n").length > 4]).toEqual([words, true]);
    }
  });

  it("name no command that is not there", () => {
    const page = read("content/docs/cli.md");
    const named = [...page.matchAll(/^\| `tapedeck ([^`]+)` \|/gm)].map(([, words]) => words);
    return expect(
      tapedeckCommand().then((program) =>
        leavesOf(program)
          .map(({ words }) => words)
          .sort(),
      ),
    ).resolves.toEqual(named.sort());
  });

  it("name every job", () => {
    for (const { name } of cronJobs) expect(read("content/docs/jobs.md")).toContain(`| \`${name}\` |`);
  });

  it("have front matter that says what each page is", () => {
    for (const page of pages)
      expect([page, /^---\ntitle: .+\ndescription: .+\n/.test(read(`content/docs/${page}`))]).toEqual([page, true]);
  });

  it("agree with the package on the version, which the changelog has", () => {
    expect(version).toBe(packageJson.version);
    expect(read("CHANGELOG.md")).toContain(`## ${version}`);
  });

  it("link to files that are there, from the README and the other papers", () => {
    for (const file of ["README.md", "AGENTS.md", "CONTRIBUTING.md"]) {
      for (const [, target] of read(file).matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
        expect([file, target, () => read(target as string)]).toEqual([file, target, expect.any(Function)]);
        expect(() => read(target as string)).not.toThrow();
      }
    }
  });
});

/** Bash examples of a page that ask the running server, one command each. */
function curlExamples(text: string): string[] {
  const blocks = [...text.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, block]) => block as string);
  return blocks
    .flatMap((block) => block.split(/\n(?=curl )/))
    .map((command) => command.trim())
    .filter((command) => command.startsWith("curl "));
}

describe("the curl examples work as pasted", () => {
  const examples = [read("README.md"), ...pages.map((page) => read(`content/docs/${page}`))].flatMap(curlExamples);

  it("there are some", () => expect(examples.length).toBeGreaterThan(12));

  it.concurrent.each([...new Set(examples)])(
    "%s",
    async (example) => {
      const local = example.replaceAll("http://127.0.0.1:3000", inject("baseUrl"));
      const { stdout } = await run(
        "bash",
        ["-c", `${local.replace("curl ", "curl --fail-with-body --silent --show-error --max-time 60 ")}`],
        {
          maxBuffer: 16 * 1024 * 1024,
          timeout: 60_000,
        },
      );
      expect(stdout.length).toBeGreaterThan(20);
    },
    70_000,
  );
});
