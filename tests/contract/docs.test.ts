import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { endpoints } from "#app/endpoints";
import { tapedeckCommand } from "#lib/cli/program";
import { cronJobs } from "#lib/jobs/index";
import { variables } from "#lib/platform/variables";
import { version } from "#lib/platform/version";
import { listTools } from "#lib/server/mcp/registry";
import packageJson from "../../package.json" with { type: "json" };

const root = resolve(import.meta.dirname, "../..");
const docsFolder = join(root, "content/docs");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const pages = readdirSync(docsFolder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
const everything = pages.map((page) => read(`content/docs/${page}`)).join("\n");

/** Returns all commands without subcommands, with their full names: `cassettes list`, `database start`, … */
function leavesOf(command: Command, path: string[] = []): { name: string; help: string }[] {
  if (command.commands.length === 0) return [{ name: path.join(" "), help: command.helpInformation() }];
  return command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
}

describe("the docs", () => {
  it("close each code block on a line of its own", () => {
    const lines = pages.flatMap((page) => read(`content/docs/${page}`).split("\n"));
    expect(lines.filter((line) => /[^`\s].*```/.test(line))).toEqual([]);
  });

  it("name every environment variable, and no others", () => {
    const documented = [...read("content/docs/configuration.md").matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell]) =>
      [...(cell as string).matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name as string),
    );
    const forTests = ["CHROMIUM_PATH"];
    expect(documented.filter((name) => !forTests.includes(name)).sort()).toEqual(Object.keys(variables).sort());
  });

  it("name every endpoint by its path, with any name for its parameters", () => {
    const isNamed = (path: string) =>
      new RegExp(path.replace(/\{[^}]*\}/g, "[\\w{}<>:.-]+").replaceAll("/", "\\/")).test(everything);
    expect([...new Set(endpoints.map(({ path }) => path))].filter((path) => !isNamed(path))).toEqual([]);
  });

  it("name every command, and no others, and every command has help", async () => {
    const commands = leavesOf(await tapedeckCommand(process));
    const named = [...read("content/docs/cli.md").matchAll(/^\| `tapedeck ([^`]+)` \|/gm)].map(([, name]) => name);
    expect(commands.map(({ name }) => name).sort()).toEqual(named.sort());
    for (const { name, help } of commands) expect([name, help.split("\n").length > 4]).toEqual([name, true]);
  });

  it("name every job", () => {
    for (const { name } of cronJobs) expect(read("content/docs/jobs.md")).toContain(`| \`${name}\` |`);
  });

  it("name every MCP tool with its tier, and count them", async () => {
    const page = read("content/docs/mcp.md");
    const rows = [...page.matchAll(/^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \|.*\| (free|starter|pro) \| (yes|no) \|$/gm)];
    const documented = rows.flatMap(([, names = "", tier, isInSessions]) =>
      [...names.matchAll(/`([a-z_]+)`/g)].map(([, name]) => [name, tier, isInSessions].join(" ")),
    );
    const inSessions = (await listTools("sessions", "free")).map(({ tool }) => tool);
    const all = await listTools("stateless", "pro");
    const listed = all.map((one) => [one.tool.name, one.tier, inSessions.includes(one.tool) ? "yes" : "no"].join(" "));
    expect(documented.sort()).toEqual(listed.sort());
    const [free, starter, pro] = ["free", "starter", "pro"].map(
      (highest, rank, tiers) => all.filter(({ tier }) => tiers.indexOf(tier) <= rank && highest).length,
    );
    expect(page).toContain(`${free} tools without a key, ${starter} from starter on, ${pro} from pro on`);
    expect(page).toContain(`the same ${inSessions.length} tools for every tier`);
  });

  it("quote log messages exactly", () => {
    const table =
      read("content/docs/operations.md")
        .split(/^## /m)
        .find((section) => section.startsWith("The log")) ?? "";
    const messages = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, message]) => message as string),
    );
    expect(messages.length).toBeGreaterThan(5);
    const code = readdirSync(join(root, "lib"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => read(`lib/${name}`))
      .join("\n");
    for (const message of messages) {
      expect([message, message.split("…").every((part) => code.includes(part.trim()))]).toEqual([message, true]);
    }
  });

  it("have a title and a description on each page", () => {
    for (const page of pages)
      expect([page, /^---\ntitle: .+\ndescription: .+\n/.test(read(`content/docs/${page}`))]).toEqual([page, true]);
  });

  it("have the package's version in the changelog", () => {
    expect(version).toBe(packageJson.version);
    expect(read("CHANGELOG.md")).toContain(`## ${version}`);
  });

  it("link only to existing files, from the README and the files beside it", () => {
    for (const file of ["README.md", "AGENTS.md", "CONTRIBUTING.md"]) {
      for (const [, target] of read(file).matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
        expect([file, target, existsSync(join(root, target as string))]).toEqual([file, target, true]);
      }
    }
  });
});
