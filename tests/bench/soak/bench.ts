import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createKey } from "#lib/accounts/keys/index";
import { ensureBuild } from "#lib/cli/launcher/build";
import { systemClock } from "#lib/platform/clock";
import { findEmbeddedPostgres } from "#lib/platform/database/embedded-postgres";
import { createDatabase, type Database } from "#lib/platform/database/index";
import { packageRoot } from "#lib/platform/database/paths";
import { readPostmasterFile } from "#lib/platform/database/postmaster-file";
import { systemIds } from "#lib/platform/ids";
import { childrenOf, launchTapedeck } from "#tests/support/launcher";
import { freePort } from "#tests/support/serve";
import { startTestVendors } from "#tests/support/test-vendors";
import { addVendor } from "#tests/support/vendor-rows";
import { Receiver } from "#tests/support/webhook-receivers";
import { runWithNumbers } from "../bench-command";
import { listProcessTree, residentMebibytes } from "../replay/process-stats";
import { startLoad } from "./load";
import { type Kill, renderChart, renderReport, type SoakResults } from "./report";
import { startTracking } from "./tracking";

const helpText = `Usage: npm run bench -- soak [--minutes <n>] [--publish]

Starts the service as \`npm run up\` does, with a database of its own, and puts it under mixed load. Kills the database after
a third of the time and the server after two thirds. Measures what another client notices, and what is lost.

Options:
  --minutes <n>  duration, 1 to 600 (default: 10)
  --publish      write the report into the documentation
  --help         this text

Writes .tapedeck/bench/soak.json, soak.md and soak.svg.`;

const vendorCount = 10;
const cronSecret = "soak-secret-for-the-jobs";
const pollMs = 50;
const backTimeoutMs = 120_000;
const memoryAfterMs = 60_000;
const replayPaths = ["developer-tools/explain-sse", "legal/nda-review"].map((id) => `/api/v1/replay/${id}?speed=4`);

type Service = { origin: string; dataFolder: string; pid: number };

/** Runs a query on the embedded database, through a client of its own, because the server can be restarted. */
async function query<T>({ dataFolder }: Service, use: (database: Database) => Promise<T>): Promise<T> {
  const url = await findEmbeddedPostgres(path.join(dataFolder, "database"));
  if (url === undefined) throw new Error("The database is not running.");
  const database = createDatabase(url);
  try {
    return await use(database);
  } finally {
    await database.$disconnect();
  }
}

/** Kills a process, and returns when a request that needs it succeeds again. */
async function kill(
  name: string,
  pids: number[],
  { origin, probe, nowMs }: { origin: string; probe: string; nowMs: () => number },
): Promise<Kill> {
  const atMs = nowMs();
  for (const pid of pids) process.kill(pid, "SIGKILL");
  while (nowMs() - atMs < backTimeoutMs) {
    await delay(pollMs);
    const isBack = await fetch(`${origin}${probe}`, { signal: AbortSignal.timeout(backTimeoutMs) }).then(
      async (response) => {
        const body = (await response.json()) as { db_connected?: boolean };
        return response.ok && body.db_connected === true;
      },
      () => false,
    );
    if (isBack) return { name, atMs, backMs: nowMs() };
  }
  throw new Error(`The ${name} was not back after ${backTimeoutMs / 1_000} s.`);
}

const serverPids = ({ dataFolder }: Service) => childrenOf(dataFolder).map(({ pid }) => pid);

function databasePid({ dataFolder }: Service): number {
  const pid = readPostmasterFile(path.join(dataFolder, "database", "cluster"))?.pid;
  if (pid === undefined) throw new Error("The database is not running.");
  return pid;
}

/** Prepares the vendors, a webhook and a key without a limit. The vendors of the catalogue are on the internet: paused. */
async function prepare(
  service: Service,
  testVendors: Awaited<ReturnType<typeof startTestVendors>>,
  receiver: Receiver,
) {
  const key = await query(service, async (database) => {
    await database.vendor.updateMany({ data: { status: "paused" } });
    for (const { slug, name, url, host } of testVendors.vendors) {
      await addVendor(database, { slug, name, llmsTxtUrl: url, domain: host });
    }
    const context = { database, clock: systemClock, ids: systemIds };
    return (await createKey(context, { tier: "enterprise_plus", label: "soak" })).key;
  });
  const registered = await fetch(`${service.origin}/api/v1/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ url: receiver.url, events: ["intelligence.high_significance"] }),
  });
  if (registered.status !== 201) throw new Error(`The webhook was not registered: ${await registered.text()}`);
  return key;
}

async function measure(
  service: Service,
  durationMs: number,
  resources: Parameters<typeof prepare>,
): Promise<SoakResults> {
  const [, testVendors, receiver] = resources;
  const { origin } = service;
  const key = await prepare(...resources);
  const load = startLoad({ origin, replayPaths, key });
  const tracking = startTracking({ origin, cronSecret, testVendors, receiver, query: (use) => query(service, use) });
  const memoryMebibytes = () => residentMebibytes(listProcessTree(service.pid));
  const until = (atMs: number) => delay(Math.max(0, atMs - load.nowMs()));
  const { nowMs } = load;
  const probe = "/api/v1/health";

  await until(Math.min(memoryAfterMs, durationMs / 4));
  const startMebibytes = memoryMebibytes();
  await until(durationMs / 3);
  const kills = [await kill("database", [databasePid(service)], { origin, probe, nowMs })];
  await until((durationMs * 2) / 3);
  kills.push(await kill("server", serverPids(service), { origin, probe, nowMs }));
  await until(durationMs);
  const endMebibytes = memoryMebibytes();
  await load.stop();
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), Node ${process.versions.node}`;
  return {
    at: new Date().toISOString(),
    machine,
    durationMs,
    kills,
    samples: load.samples,
    counts: load.counts,
    tracking: await tracking.finish(),
    memory: { startMebibytes, endMebibytes },
  };
}

async function write(results: SoakResults, publish: boolean): Promise<void> {
  const folder = path.join(packageRoot, ".tapedeck", "bench");
  await mkdir(folder, { recursive: true });
  const docs = path.join(packageRoot, "content", "docs", "benchmarks-soak.md");
  const reportFile = publish ? docs : path.join(folder, "soak.md");
  const chartFile = path.join(publish ? path.join(packageRoot, "public", "bench") : folder, "soak.svg");
  await writeFile(path.join(folder, "soak.json"), `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(reportFile, renderReport(results, publish ? "/bench/soak.svg" : "soak.svg"));
  await writeFile(chartFile, renderChart(results));
  console.log(renderReport(results, chartFile).split("---\n")[2]);
  console.log(`Written: ${[reportFile, chartFile].map((file) => path.relative(packageRoot, file)).join(", ")}`);
}

async function runBench(durationMs: number, publish: boolean): Promise<boolean> {
  await ensureBuild();
  const dataFolder = await mkdtemp(path.join(tmpdir(), "tapedeck-soak-"));
  const testVendors = await startTestVendors({ vendorCount });
  const receiver = new Receiver();
  await receiver.start();
  const port = await freePort();
  const launched = launchTapedeck({
    dataFolder,
    port,
    environment: {
      CRON: "off",
      CRON_SECRET: cronSecret,
      LOG_LEVEL: "warn",
      FETCH_INTERVAL_HOURS: "1",
      OUTBOUND_ALLOWED_HOSTS: [...testVendors.allowedHosts, receiver.host].join(","),
    },
  });
  try {
    await launched.ready();
    const service = { origin: `http://127.0.0.1:${port}`, dataFolder, pid: launched.process.pid as number };
    const results = await measure(service, durationMs, [service, testVendors, receiver]);
    await write(results, publish);
    const { missingVersions, missingReports, missingDeliveries } = results.tracking;
    const wrong = Object.values(results.counts).reduce((sum, counts) => sum + counts.wrong, 0);
    return missingVersions + missingReports + missingDeliveries + wrong === 0;
  } catch (error) {
    console.error(launched.output());
    throw error;
  } finally {
    launched.process.kill("SIGTERM");
    await launched.ended;
    await receiver.stop();
    await testVendors.close();
    await rm(dataFolder, { recursive: true, force: true });
  }
}

/** `npm run bench -- soak`: returns the exit code, 1 if anything was lost or wrong. */
export function main(commandLine: string[]): Promise<number> {
  const numbers = { minutes: { default: 10, min: 1, max: 600 } };
  return runWithNumbers({ commandLine, helpText, numbers, canPublish: true }, async ({ minutes }, publish) =>
    (await runBench(minutes * 60_000, publish)) ? 0 : 1,
  );
}
