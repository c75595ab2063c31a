import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Client,
  type ClientName,
  claudeCodePackages,
  clients,
  newestPackages,
  pythonPackages,
} from "#tests/support/clients/client-list";
import packageJson from "../../package.json" with { type: "json" };

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "content/docs/test-your-app.md"), "utf8");
const origin = "http://127.0.0.1:3000";
const names = Object.keys(clients) as ClientName[];
const clientOf = (name: ClientName): Client => clients[name];

/** Sources of the tests that run clients. */
const sources = ["tests/faults", "tests/extended"]
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(root, folder, name)))
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

function cells(row: string): string[] {
  return row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll("`", ""));
}

/** Rows of the table of clients, without its head. */
const rows = [...(page.match(/^\| Client \|[^\n]*\n((?:\|[^\n]*\n)+)/m)?.[1] ?? "").matchAll(/^\|.*$/gm)]
  .map(([row]) => cells(row))
  .slice(1);

/** Returns the name of the package, which the table and the snippets of Python have without an addition. */
function packageOf(name: ClientName): string {
  return name.replace(" (Python)", "");
}

/** Returns the major versions of a client that the tests run. */
function majorsOf(client: ClientName): number[] {
  const name = packageOf(client);
  const inPython = pythonPackages.filter((each) => each.startsWith(`${name}@`));
  if (name !== client) return inPython.map((each) => Number(each.split("@")[1]));
  const { dependencies, devDependencies } = packageJson;
  const installed: Record<string, string> = { ...dependencies, ...devDependencies };
  const pinned = installed[name];
  const newest = [...newestPackages, ...claudeCodePackages].filter((each) => each.startsWith(`${name}@`));
  const versions = [...(pinned === undefined ? [] : [pinned]), ...newest.map((each) => each.slice(name.length + 1))];
  return [...new Set(versions.map((version) => Number.parseInt(version, 10)))].sort((a, b) => a - b);
}

describe("the table of clients", () => {
  it("has the clients, versions, base URLs and variables of the tests", () => {
    const expected = names.map((name) => {
      const client = clientOf(name);
      const variable = client.variable === undefined ? "not tested" : (client.variable ?? "none");
      return [name, client.majors.join(", "), origin + client.basePath, variable];
    });
    expect(rows).toEqual(expected);
  });

  it.each(names)("has the versions of %s that are installed for the tests", (name) => {
    expect(clients[name].majors).toEqual(majorsOf(name));
  });

  it.each(names)("names a base URL and a variable with which a test runs %s", (name) => {
    const { variable } = clientOf(name);
    expect(sources).toMatch(new RegExp(`(?:baseUrlOf|baseUrl|settings)\\("${name.replaceAll(/[()]/g, "\\$&")}"`));
    if (variable) expect(sources).toContain(`${variable}: baseUrlOf(`);
  });

  it.each(names.filter((name) => !name.startsWith("@anthropic-ai/claude")))(
    "has a snippet of %s with this base URL",
    (name) => {
      const mark = packageOf(name) === name ? "//" : "#";
      const [, snippet = ""] = page.split(new RegExp(`^${mark} ${packageOf(name)}(?=[;:\\n])`, "m"));
      const [lines = ""] = snippet.split("\n\n");
      const urls = [...lines.matchAll(/"(http:[^"]*)"/g)].map(([, url]) => url);
      expect(new Set(urls)).toEqual(new Set([origin + clients[name].basePath]));
    },
  );
});
