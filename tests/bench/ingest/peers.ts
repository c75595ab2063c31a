import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import type { TestVendor } from "#tests/support/test-vendors";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const runTimeoutMs = 120_000;

/** Duration and CPU time of a process from start to exit, and CPU time of the database, in seconds. */
export type Cost = { wallSeconds: number; cpuSeconds: number; databaseCpuSeconds: number };

/** A program that fetches every vendor once. */
export type Peer = { name: string; fetchAll: () => Promise<Cost>; startOnly: () => Promise<Cost> };

type Run = { command: string; args: string[]; environment: Record<string, string> };

/** Runs a program under the shell's `time`. Throws if it fails. */
async function timed({ command, args, environment }: Run): Promise<{ wallSeconds: number; cpuSeconds: number }> {
  const script = 'TIMEFORMAT="@@%R %U %S"; time "$@" >/dev/null';
  const child = spawn("bash", ["-c", script, "bash", command, ...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: runTimeoutMs,
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const [, wall, user, system] = /@@([\d.]+) ([\d.]+) ([\d.]+)/.exec(errors) ?? [];
  if (code !== 0 || wall === undefined) throw new Error(`${command} ended with ${code}: ${errors.slice(-2_000)}`);
  return { wallSeconds: Number(wall), cpuSeconds: Number(user) + Number(system) };
}

/** Returns the CPU seconds of a process and its exited children, which Linux counts in ticks of 10 ms. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) / 100;
}

/** Returns the id of the database server's main process, which accumulates the CPU time of its closed sessions. */
async function postmasterOf(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ folder: string }>("SELECT current_setting('data_directory') AS folder");
    return Number(readFileSync(join(rows[0]?.folder ?? "", "postmaster.pid"), "utf8").split("\n")[0]);
  } finally {
    await client.end();
  }
}

/** Runs `tapedeck cron run fetch-vendors` as a process; `prepare` makes every vendor due. */
export async function tapedeckPeer(
  url: string,
  allowedHosts: string[],
  prepare: () => Promise<unknown>,
): Promise<Peer> {
  const postmaster = await postmasterOf(url);
  const run = async () => {
    const before = ticksOf(postmaster);
    const args = ["lib/cli/tapedeck.mjs", "cron", "run", "fetch-vendors"];
    const environment = { DATABASE_URL: url, OUTBOUND_ALLOWED_HOSTS: allowedHosts.join(","), LOG_LEVEL: "error" };
    const cost = await timed({ command: process.execPath, args, environment });
    return { ...cost, databaseCpuSeconds: ticksOf(postmaster) - before };
  };
  return { name: "tapedeck", fetchAll: () => prepare().then(run), startOnly: run };
}

export function hasUrlwatch(): boolean {
  return spawnSync("urlwatch", ["--version"]).status === 0;
}

/** Runs `urlwatch` with a job for each vendor and its own cache. */
export function urlwatchPeer(folder: string, vendors: readonly TestVendor[]): Peer {
  const [jobs, config, hooks] = ["urls.yaml", "config.yaml", "hooks.py"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(jobs, vendors.map(({ url }) => `url: ${url}\n`).join("---\n"));
  writeFileSync(config, "report:\n  stdout:\n    enabled: true\n    color: false\n");
  writeFileSync(hooks, "");
  const options = ["--urls", jobs, "--config", config, "--hooks", hooks, "--cache", join(folder, "cache.db")];
  const run = async (args: string[]) => ({
    ...(await timed({ command: "urlwatch", args, environment: {} })),
    databaseCpuSeconds: 0,
  });
  return { name: "urlwatch", fetchAll: () => run(options), startOnly: () => run([...options, "--list"]) };
}
