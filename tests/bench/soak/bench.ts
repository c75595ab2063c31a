import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createKey } from "#lib/accounts/keys/index";
import { ensureBuild } from "#lib/cli/launcher/build";
import { systemClock } from "#lib/platform/clock";
import { findEmbeddedPostgres } from "#lib/platform/database/embedded-postgres";
import { createDatabase, type Database } from "#lib/platform/database/index";
import { readPostmasterFile } from "#lib/platform/database/postmaster-file";
import { systemIds } from "#lib/platform/ids";
import { childrenOf, launchTapedeck } from "#tests/support/launcher";
import { freePort } from "#tests/support/serve";
import { startTestVendors } from "#tests/support/test-vendors";
import { addVendor } from "#tests/support/vendor-rows";
import { Receiver } from "#tests/support/webhook-receivers";
import { defineBench } from "../harness";
import { listProcessTree, residentMebibytes } from "../processes";
import { startLoad } from "./load";
import { type Kill, report, type SoakResults } from "./report";
import { startTracking } from "./tracking";

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
  say: (line: string) => void,
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
  say("the database was killed, and is back");
  await until((durationMs * 2) / 3);
  kills.push(await kill("server", serverPids(service), { origin, probe, nowMs }));
  say("the server was killed, and is back");
  await until(durationMs);
  const endMebibytes = memoryMebibytes();
  await load.stop();
  return {
    durationMs,
    kills,
    samples: load.samples,
    counts: load.counts,
    tracking: await tracking.finish(),
    memory: { startMebibytes, endMebibytes },
  };
}

export const bench = defineBench({
  about: `Starts the service as \`npm run up\` does, with a database of its own, and puts it under mixed load. Kills the database after a third of
the time and the server after two thirds. Measures what another client notices, and what is lost.`,
  page: { name: "benchmarks-soak" },
  options: { minutes: { default: 10, quick: 1, min: 1, max: 600, about: "duration" } },
  async run({ minutes }, { say, cleanUp, makeFolder }) {
    await ensureBuild();
    const dataFolder = await makeFolder();
    const testVendors = await startTestVendors({ vendorCount });
    cleanUp(testVendors.close);
    const receiver = new Receiver();
    await receiver.start();
    cleanUp(() => receiver.stop());
    const port = await freePort();
    const environment = {
      CRON: "off",
      CRON_SECRET: cronSecret,
      LOG_LEVEL: "warn",
      FETCH_INTERVAL_HOURS: "1",
      OUTBOUND_ALLOWED_HOSTS: [...testVendors.allowedHosts, receiver.host].join(","),
    };
    const launched = launchTapedeck({ dataFolder, port, environment });
    cleanUp(async () => {
      launched.process.kill("SIGTERM");
      await launched.ended;
    });
    await launched.ready();
    say("the server is ready");
    const service = { origin: `http://127.0.0.1:${port}`, dataFolder, pid: launched.process.pid as number };
    try {
      return report(await measure(service, minutes * 60_000, say, [service, testVendors, receiver]));
    } catch (error) {
      say(launched.output());
      throw error;
    }
  },
});
