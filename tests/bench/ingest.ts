import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withClient } from "#lib/platform/database/postgres-connection";
import { createTestDatabase } from "#tests/support/database";
import { startTestVendors, type TestVendor } from "#tests/support/test-vendors";
import { addVendor } from "#tests/support/vendor-rows";
import { writeBundle } from "../../lib/cli/bootstrap/command-bundle.mjs";
import { defineBench, format, limit, median } from "./harness";
import { cpuTimeMs, root, startRole } from "./processes";

const runTimeoutMs = 120_000;
const lineCount = 100;

/** Requests to the vendors' servers since the last counts. */
type VendorCounts = {
  /** Including robots.txt. */
  requests: number;
  /** Responses with the file, to requests that were unconditional or had an old validator. */
  bodies: number;
};

/** Returns a file of about 9 kB, the median size of real ones. Consecutive versions differ by one link. */
function textOf(name: string, version: number): string {
  const links = Array.from({ length: lineCount }, (_, line) => {
    const edition = line === version % lineCount ? `?v=${version}` : "";
    return `- [Guide ${line}](https://docs.example.com/${name}/${line}${edition}): how its step number ${line} is done in practice`;
  });
  return `# ${name}\n\n> What it offers to programs.\n\n## Guides\n\n${links.join("\n")}\n`;
}

/** The vendors' servers. A message returns the counts since the last one, and can publish a version. */
export async function vendorServers(vendorCount: number) {
  const testVendors = await startTestVendors({ vendorCount });
  const slugs = testVendors.vendors.map(({ slug }) => slug);
  const versions = (slug: string) => Array.from({ length: 30 }, (_, index) => textOf(slug, index + 1));
  for (const slug of slugs) testVendors.setVersions(slug, versions(slug));
  let current = 1;
  const answer = ({ version }: { version?: number }): VendorCounts => {
    const bodies = testVendors.requests.filter(
      ({ path, headers }) => path !== "/robots.txt" && headers["if-none-match"] !== `"v${current}"`,
    );
    const counts = { requests: testVendors.requests.length, bodies: bodies.length };
    if (version !== undefined) {
      current = version;
      for (const slug of slugs) testVendors.setVersion(slug, version);
    }
    testVendors.clearRequests();
    return counts;
  };
  return { ready: [...testVendors.vendors], answer };
}

/** Duration and CPU time of a process from start to exit, and CPU time of the database, in seconds. */
type Cost = { wall: number; cpu: number; databaseCpu: number };
/** A program that fetches every vendor once. */
type Peer = { name: string; fetchAll: () => Promise<Cost>; startOnly: () => Promise<Cost> };

/** Runs a program under the shell's `time`. Throws if it fails. */
async function timed(command: string, args: string[], environment = {}): Promise<Omit<Cost, "databaseCpu">> {
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
  return { wall: Number(wall), cpu: Number(user) + Number(system) };
}

/** Returns the id of the database server's main process, which accumulates the CPU time of its closed sessions. */
async function postmasterOf(connectionString: string): Promise<number> {
  const { rows } = await withClient({ connectionString }, (client) =>
    client.query<{ folder: string }>("SELECT current_setting('data_directory') AS folder"),
  );
  return Number(readFileSync(join(rows[0]?.folder ?? "", "postmaster.pid"), "utf8").split("\n")[0]);
}

/** Runs `tapedeck cron run fetch-vendors` as a process; `prepare` makes every vendor due. */
async function tapedeckPeer(url: string, allowedHosts: string[], prepare: () => Promise<unknown>): Promise<Peer> {
  const postmaster = [await postmasterOf(url)];
  const databaseCpuMs = () => cpuTimeMs(postmaster, { withExitedChildren: true });
  const environment = { DATABASE_URL: url, OUTBOUND_ALLOWED_HOSTS: allowedHosts.join(","), LOG_LEVEL: "error" };
  const run = async () => {
    const beforeMs = databaseCpuMs();
    const args = ["lib/cli/tapedeck.mjs", "cron", "run", "fetch-vendors"];
    const cost = await timed(process.execPath, args, environment);
    return { ...cost, databaseCpu: (databaseCpuMs() - beforeMs) / 1_000 };
  };
  return { name: "tapedeck", fetchAll: () => prepare().then(run), startOnly: run };
}

/** Runs `urlwatch` with a job for each vendor and its own cache. */
function urlwatchPeer(folder: string, vendors: readonly TestVendor[]): Peer {
  const [jobs, config, hooks] = ["urls.yaml", "config.yaml", "hooks.py"].map((name) => join(folder, name));
  writeFileSync(jobs!, vendors.map(({ url }) => `url: ${url}\n`).join("---\n"));
  writeFileSync(config!, "report:\n  stdout:\n    enabled: true\n    color: false\n");
  writeFileSync(hooks!, "");
  const options = ["--urls", jobs!, "--config", config!, "--hooks", hooks!, "--cache", join(folder, "cache.db")];
  const run = async (args: string[]) => ({ ...(await timed("urlwatch", args)), databaseCpu: Number.NaN });
  return { name: "urlwatch", fetchAll: () => run(options), startOnly: () => run([...options, "--list"]) };
}

const phases = ["new", "unchanged", "none due", "changed"] as const;
type Phase = (typeof phases)[number];

/** The least ratio of Tapedeck's files per second to urlwatch's, without the start. */
const goals: [Phase, number][] = [
  ["new", 0.8],
  ["unchanged", 2],
  ["changed", 1],
];

export const bench = defineBench({
  about: `Fetches vendors' files of about 9 kB from servers on this machine: all of them new, then unchanged, then changed by one link,
with \`tapedeck cron run fetch-vendors\` and, if installed, \`urlwatch\` in turns, each as a separate process.`,
  options: {
    files: { default: 500, quick: 20, min: 10, max: 1_000, about: "vendors with one file each" },
    rounds: { default: 3, quick: 1, min: 1, max: 20, about: "rounds of unchanged and changed files" },
  },
  async run({ files, rounds }, { say, cleanUp, makeFolder }) {
    // Users run the bundle too: without it, the command compiles its TypeScript.
    await writeBundle();
    const folder = await makeFolder();
    const servers = await startRole(import.meta.url, vendorServers, [files]);
    const vendors = servers.ready;
    const database = await createTestDatabase();
    cleanUp(database.drop);
    for (const { slug, name, url, host } of vendors)
      await addVendor(database.client, { slug, name, llmsTxtUrl: url, domain: host });
    const makeDue = () => database.client.vendor.updateMany({ data: { nextFetchAt: new Date(Date.now() - 60_000) } });
    const hosts = vendors.map(({ host }) => host);
    const peers = [await tapedeckPeer(database.url, hosts, makeDue)];
    if (spawnSync("urlwatch", ["--version"]).status === 0) peers.push(urlwatchPeer(folder, vendors));
    else say("urlwatch is not installed: left out");

    const measured: { phase: Phase; peer: string; cost: Cost; counts: VendorCounts }[] = [];
    const measure = async (phase: Phase) => {
      for (const peer of peers) {
        await servers.ask({});
        const cost = await (phase === "none due" ? peer.startOnly() : peer.fetchAll());
        measured.push({ phase, peer: peer.name, cost, counts: await servers.ask({}) });
        say(`${phase}, ${peer.name}: ${format(cost.wall)} s`);
      }
    };
    await measure("new");
    for (let round = 1; round <= rounds; round += 1) {
      await measure("unchanged");
      await measure("none due");
      await servers.ask({ version: 1 + round });
      await measure("changed");
    }

    type One = (typeof measured)[number];
    const of = (phase: Phase, peer: string, pick: (one: One) => number) =>
      median(measured.filter((one) => one.phase === phase && one.peer === peer).map(pick));
    /** Without the start, which a worker needs only once. */
    const own = (phase: Phase, peer: string, pick: (one: One) => number) =>
      of(phase, peer, pick) - (phase === "none due" ? 0 : of("none due", peer, pick));
    const rate = (phase: Phase, peer: string) => files / own(phase, peer, ({ cost }) => cost.wall);
    const rows = phases.flatMap((phase) =>
      peers.map(({ name: peer }) => [
        ...[phase, peer, format(rate(phase, peer)), format(files / of(phase, peer, ({ cost }) => cost.wall))],
        format((own(phase, peer, ({ cost }) => cost.cpu) / files) * 1_000),
        format((of(phase, peer, ({ cost }) => cost.databaseCpu) / files) * 1_000),
        ...[
          format(of(phase, peer, ({ counts }) => counts.bodies)),
          format(of(phase, peer, ({ counts }) => counts.requests)),
        ],
      ]),
    );
    const head = ["Files", "Program", "Files per second", "With its start", "CPU ms per file"];
    const cpu = (phase: Phase, peer: string) => own(phase, peer, ({ cost }) => cost.cpu);
    return {
      tables: [{ head: [...head, "Database CPU ms per file", "Bodies sent", "Requests"], rows }],
      goals: goals.flatMap(([phase, atLeast]) =>
        limit(
          `${phase} files ≥ ${atLeast} × urlwatch`,
          {
            "files a second": rate(phase, "tapedeck") / rate(phase, "urlwatch"),
            "files in a second of CPU": cpu(phase, "urlwatch") / cpu(phase, "tapedeck"),
          },
          { atLeast, unit: " ×" },
        ),
      ),
      results: { measured },
    };
  },
});
