import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { systemIds } from "#lib/platform/ids";
import { bearer } from "./limits";
import { startRedis } from "./redis";
import { RoundRobin } from "./round-robin";
import { type CliRun, startCli } from "./run-cli";
import { type Served, serve } from "./serve";
import { longTimeouts } from "./start-app";
import { startTestVendors } from "./test-vendors";
import { UpstashDouble } from "./upstash-double";
import { addVendor } from "./vendor-rows";
import { Receiver } from "./webhook-receivers";

type MachineOptions = {
  /** The shared database as the machines reach it. */
  databaseUrl: string;
  client: Database;
  vendorCount: number;
  appCount: number;
  concurrency: number;
  /** What has to end after the test, in the order in which it was started. */
  toClose: (() => unknown)[];
};

/** Starts the example of the docs: app instances behind a proxy, and workers, that share a database and Redis only. */
export async function startMachines(options: MachineOptions) {
  const { databaseUrl, client, vendorCount, appCount, concurrency, toClose } = options;
  const redis = await startRedis();
  toClose.push(() => redis.stop());
  const upstash = await UpstashDouble.start(redis.port);
  toClose.push(() => upstash.close());
  const vendors = await startTestVendors({ vendorCount });
  toClose.push(() => vendors.close());
  for (const { slug, name, url, host } of vendors.vendors)
    await addVendor(client, { slug, name, llmsTxtUrl: url, domain: host });
  const receiver = new Receiver();
  await receiver.start();
  toClose.push(() => receiver.stop());
  const machine = () => {
    const folder = mkdtempSync(join(tmpdir(), "tapedeck-machine-"));
    toClose.push(() => rmSync(folder, { recursive: true, force: true }));
    return {
      DATABASE_URL: databaseUrl,
      ...upstash.environment,
      ...longTimeouts,
      ENCRYPTION_KEYS: Buffer.alloc(32, 5).toString("base64"),
      TAPEDECK_DATA_DIR: folder,
      LOG_LEVEL: "warn",
      OUTBOUND_ALLOWED_HOSTS: [...vendors.allowedHosts, receiver.host].join(","),
    };
  };
  const startApp = async (): Promise<Served> => {
    const app = await serve("node", machine());
    toClose.push(() => app.stop());
    return app;
  };
  const apps = await Promise.all(Array.from({ length: appCount }, startApp));
  const startWorker = (): CliRun => {
    const worker = startCli(["worker", "--concurrency", String(concurrency)], { environment: machine() });
    toClose.push(async () => {
      worker.process.kill("SIGTERM");
      await worker.ended;
    });
    return worker;
  };
  const startProxy = async () => {
    const proxy = await new RoundRobin(apps.map(({ origin }) => origin)).start();
    toClose.push(() => proxy.close());
    return proxy;
  };
  const issueKey = async (tier: "free" | "pro") =>
    (await createKey({ database: client, clock: systemClock, ids: systemIds }, { tier })).key;
  /** Registers the receiver; returns the answer of the API. */
  const registerWebhook = async (origin: string, key: string): Promise<Response> =>
    fetch(`${origin}/api/v1/webhooks`, {
      method: "POST",
      headers: { ...bearer(key), "content-type": "application/json" },
      body: JSON.stringify({ url: receiver.url, events: ["intelligence.high_significance"] }),
    });
  return { vendors, receiver, upstash, apps, startApp, startWorker, startProxy, issueKey, registerWebhook };
}
