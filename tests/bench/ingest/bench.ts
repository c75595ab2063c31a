import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import type { TestVendor } from "#tests/support/test-vendors";
import { addVendor } from "#tests/support/vendor-rows";
import { runWithNumbers, writeResults } from "../bench-command";
import { median } from "../replay/percentiles";
import { formatNumber, table } from "../replay/report-format";
import { type Cost, hasUrlwatch, type Peer, tapedeckPeer, urlwatchPeer } from "./peers";
import type { VendorCounts } from "./vendors-process";

const helpText = `Usage: npm run bench -- ingest [--files <n>] [--rounds <n>]

Fetches vendors' files of about 9 kB from servers on this machine: all of them new, then unchanged, then changed by one
link. Runs \`tapedeck cron run fetch-vendors\` and, if installed, \`urlwatch\` in turns, each as a separate process.

Options:
  --files <n>   vendors with one file each, 10 to 1,000 (default: 500)
  --rounds <n>  rounds of unchanged and changed files, 1 to 20 (default: 3)
  --help        this text

Writes .tapedeck/bench/ingest.json.`;

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The vendors' servers, in a separate process so that their work is not attributed to any program. */
class VendorsProcess {
  readonly #child: ChildProcess;

  constructor(fileCount: number) {
    const file = fileURLToPath(new URL("./vendors-process.ts", import.meta.url));
    this.#child = fork(file, [String(fileCount)], { execArgv: ["--import", "tsx"], cwd: root });
  }

  async #request<T>(message: object): Promise<T> {
    const response = once(this.#child, "message");
    this.#child.send(message);
    const [result] = await response;
    return result as T;
  }

  vendors = async () => (await once(this.#child, "message"))[0] as TestVendor[];
  publish = (version: number) => this.#request<VendorCounts>({ version });
  counts = () => this.#request<VendorCounts>({});
  close = () => this.#child.kill("SIGTERM");
}

const phases = ["new", "unchanged", "changed", "none due"] as const;
type Phase = (typeof phases)[number];
type Measured = { phase: Phase; peer: string; cost: Cost; counts: VendorCounts };

async function openPeers(database: TestDatabase, vendors: TestVendor[], folder: string): Promise<Peer[]> {
  for (const { slug, name, url, host } of vendors)
    await addVendor(database.client, { slug, name, llmsTxtUrl: url, domain: host });
  const makeDue = () => database.client.vendor.updateMany({ data: { nextFetchAt: new Date(Date.now() - 60_000) } });
  const hosts = vendors.map(({ host }) => host);
  const ours = await tapedeckPeer(database.url, hosts, makeDue);
  return hasUrlwatch() ? [ours, urlwatchPeer(folder, vendors)] : [ours];
}

async function measure(servers: VendorsProcess, peers: readonly Peer[], phase: Phase): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const peer of peers) {
    await servers.counts();
    const cost = await (phase === "none due" ? peer.startOnly() : peer.fetchAll());
    measured.push({ phase, peer: peer.name, cost, counts: await servers.counts() });
  }
  return measured;
}

function rowsOf(measured: readonly Measured[], fileCount: number): string[][] {
  return phases.flatMap((phase) =>
    [...new Set(measured.filter((one) => one.phase === phase).map(({ peer }) => peer))].map((peer) => {
      const own = measured.filter((one) => one.phase === phase && one.peer === peer);
      const of = (pick: (one: Measured) => number) => median(own.map(pick));
      const database = of(({ cost }) => cost.databaseCpuSeconds);
      return [
        ...[phase, peer],
        ...[formatNumber(fileCount / of(({ cost }) => cost.wallSeconds))],
        formatNumber((of(({ cost }) => cost.cpuSeconds) / fileCount) * 1_000),
        peer === "tapedeck" ? formatNumber((database / fileCount) * 1_000) : "–",
        ...[formatNumber(of(({ counts }) => counts.bodies)), formatNumber(of(({ counts }) => counts.requests))],
      ];
    }),
  );
}

async function runBench(fileCount: number, roundCount: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-bench-"));
  const servers = new VendorsProcess(fileCount);
  const database = await createTestDatabase();
  try {
    const peers = await openPeers(database, await servers.vendors(), folder);
    if (peers.length === 1) console.log("urlwatch is not installed: left out");
    const measured = await measure(servers, peers, "new");
    for (let round = 1; round <= roundCount; round += 1) {
      measured.push(...(await measure(servers, peers, "unchanged")));
      measured.push(...(await measure(servers, peers, "none due")));
      await servers.publish(1 + round);
      measured.push(...(await measure(servers, peers, "changed")));
    }
    const head = [
      "Files",
      "Program",
      "Files per second",
      "CPU ms per file",
      "Database CPU ms per file",
      "Bodies sent",
      "Requests",
    ];
    console.log(`\n${table(head, rowsOf(measured, fileCount))}`);
    await writeResults("ingest", { fileCount, measured });
  } finally {
    servers.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** `npm run bench -- ingest`: returns the exit code. */
export function main(commandLine: string[]): Promise<number> {
  const numbers = { files: { default: 500, min: 10, max: 1_000 }, rounds: { default: 3, min: 1, max: 20 } };
  return runWithNumbers({ commandLine, helpText, numbers }, async ({ files, rounds }) => {
    await runBench(files, rounds);
    return 0;
  });
}
