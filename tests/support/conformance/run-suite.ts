import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";

const suite = resolve(import.meta.dirname, "../../../node_modules/@modelcontextprotocol/conformance");
const hooks = pathToFileURL(join(import.meta.dirname, "register-hooks.mjs")).href;

export type Revision = "2025-11-25" | "2026-07-28";

/** Returns the scenarios that a protocol revision requires of servers. */
export async function requiredScenarios(revision: Revision): Promise<string[]> {
  const requirements = parse(await readFile(join(suite, "requirements", `${revision}.yaml`), "utf8"));
  return (requirements as { server: string[] }).server;
}

/** Runs the MCP conformance suite against a server. Returns its output and the scenarios without a failed check. */
export async function runSuite(url: string, revision: Revision): Promise<{ passed: string[]; output: string }> {
  const { globSync: hasGlob } = (await import("node:fs")) as unknown as { globSync?: unknown };
  const preload = hasGlob ? [] : ["--import", hooks];
  const args = ["server", "--url", url, "--requirements", revision];
  const output = await new Promise<string>((settle) => {
    execFile(
      process.execPath,
      [...preload, join(suite, "dist/index.js"), ...args],
      { maxBuffer: 64 * 1024 * 1024, timeout: 240_000 },
      (_error, stdout, stderr) => settle(`${stdout}\n${stderr}`),
    );
  });
  const summary = output.slice(output.indexOf("=== SUMMARY ==="));
  return { passed: [...summary.matchAll(/^✓ (\S+):/gm)].map(([, name]) => name as string), output };
}
