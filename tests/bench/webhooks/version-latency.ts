/** The time from a new version to its webhook, with `tapedeck worker` as a process of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "#lib/platform/database/index";
import { createTestDatabase } from "#tests/support/database";
import { startProvider } from "#tests/support/provider-double";
import { startTestVendors, versionText } from "#tests/support/test-vendors";
import { addVendor } from "#tests/support/vendor-rows";
import { addCaller, addWebhook, testKeys } from "#tests/support/webhook-receivers";
import { writeBundle } from "../../../lib/cli/bootstrap/command-bundle.mjs";
import { inParallel, type Spread, spreadOf } from "../harness";
import { cpuTimeMs, root, startRole } from "../processes";

const tickMs = 100;
const pollMs = 100;
const limitMs = 180_000;
/** What makes a change significant enough for a webhook. */
const breaking = "\nBreaking change: version 1 of the charges API is deprecated and will be removed on 1 March 2027.\n";

/** The vendors' servers. A message publishes the second version of some vendors. */
export async function vendorServers(vendorCount: number) {
  const testVendors = await startTestVendors({ vendorCount });
  for (const { slug, name } of testVendors.vendors) {
    const text = versionText(name, 1);
    testVendors.setVersions(slug, [text, `${text}${breaking}`]);
  }
  const answer = (slugs: readonly string[]) => {
    for (const slug of slugs) testVendors.setVersion(slug, 2);
    return slugs.length;
  };
  return { ready: [...testVendors.vendors], answer };
}

type Arrival = { slug: string; atMs: number };

/** A receiver that responds after a time. A message returns what arrived since the last one. */
export async function slowReceiver(responseMs: number) {
  const arrivals: Arrival[] = [];
  const { host } = await startProvider((response, { body }) => {
    const { data } = JSON.parse(body) as { data: { vendor: { slug: string } } };
    arrivals.push({ slug: data.vendor.slug, atMs: Date.now() });
    setTimeout(() => response.end("ok"), responseMs);
  });
  return { ready: host, answer: () => arrivals.splice(0) };
}

type VersionScenario = { perSecond: number; seconds: number; responseMs: number };

/** Transactions in the database so far. */
async function transactionCount(client: Database): Promise<number> {
  const [row] = await client.$queryRaw<{ count: bigint }[]>`
    SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()`;
  return Number(row?.count ?? 0);
}

/** Publishes new versions at a rate, and returns the times from each being due, and being stored, to its webhook. */
export async function measureVersions({ perSecond, seconds, responseMs }: VersionScenario) {
  await writeBundle();
  const vendorCount = perSecond * seconds;
  const servers = await startRole(import.meta.url, vendorServers, [vendorCount]);
  const receiver = await startRole(import.meta.url, slowReceiver, [responseMs]);
  const { url, client, drop } = await createTestDatabase();
  const vendors = servers.ready;
  const caller = await addCaller(client);
  const hosts = [...vendors.map(({ host }) => host), receiver.ready];
  await inParallel(vendorCount, 8, (index) => {
    const { slug, name, url: llmsTxtUrl, host } = vendors[index]!;
    return addVendor(client, { slug, name, llmsTxtUrl, domain: host });
  });
  await client.vendor.updateMany({ data: { nextFetchAt: new Date() } });
  const worker = spawn(process.execPath, ["lib/cli/tapedeck.mjs", "worker"], {
    cwd: root,
    env: {
      ...process.env,
      DATABASE_URL: url,
      OUTBOUND_ALLOWED_HOSTS: hosts.join(","),
      ENCRYPTION_KEYS: testKeys[0].toString("base64"),
      LOG_LEVEL: "error",
      BASE_URL: "",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    const giveUpMs = Date.now() + limitMs;
    const until = async (condition: () => Promise<boolean>) => {
      while (!(await condition())) {
        if (Date.now() > giveUpMs) throw new Error("the worker has not finished in time");
        await wait(pollMs);
      }
    };
    await until(async () => (await client.vendor.count({ where: { latestSnapshotId: null } })) === 0);
    await addWebhook(client, caller, `http://${receiver.ready}/hooks`);
    await receiver.ask(undefined);
    const [cpuMs, transactions] = [cpuTimeMs([worker.pid as number]), await transactionCount(client)];
    const dueMs = new Map<string, number>();
    const startMs = performance.now();
    while (dueMs.size < vendorCount) {
      const wanted = Math.min(vendorCount, Math.ceil(((performance.now() - startMs) / 1_000) * perSecond));
      const slugs = vendors.slice(dueMs.size, wanted).map(({ slug }) => slug);
      if (slugs.length > 0) {
        await servers.ask(slugs);
        await client.vendor.updateMany({ where: { slug: { in: slugs } }, data: { nextFetchAt: new Date() } });
        for (const slug of slugs) dueMs.set(slug, Date.now());
      }
      await wait(tickMs);
    }
    const arrivals: Arrival[] = [];
    await until(async () => {
      arrivals.push(...(await receiver.ask(undefined)));
      return arrivals.length >= vendorCount;
    });
    const snapshots = await client.snapshot.findMany({
      where: { diffToPrevious: { isNot: null } },
      select: { createdAt: true, vendor: { select: { slug: true } } },
    });
    const storedMs = new Map(snapshots.map(({ createdAt, vendor }) => [vendor.slug, createdAt.getTime()]));
    const since = (starts: Map<string, number>): Spread =>
      spreadOf(arrivals.map(({ slug, atMs }) => atMs - (starts.get(slug) ?? Number.NaN)));
    return {
      fromDue: since(dueMs),
      fromStored: since(storedMs),
      repeated: arrivals.length - vendorCount,
      cpuMsPerVersion: (cpuTimeMs([worker.pid as number]) - cpuMs) / vendorCount,
      transactionsPerVersion: ((await transactionCount(client)) - transactions) / vendorCount,
    };
  } finally {
    const ended = worker.exitCode === null ? once(worker, "exit") : undefined;
    worker.kill("SIGTERM");
    await ended;
    await drop();
  }
}
