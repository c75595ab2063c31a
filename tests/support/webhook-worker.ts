import { pino } from "pino";
import { systemClock } from "#lib/platform/clock";
import { createDatabase } from "#lib/platform/database/index";
import { systemIds } from "#lib/platform/ids";
import { guardedFetch } from "#lib/platform/outbound/index";
import { deliverWebhooks } from "#lib/tracking/webhooks/sending/deliver-webhooks";
import { testKeys } from "./webhook-keys";

/** Worker in its own process that runs deliveries once per message and reports the result. */
export type WorkerOrder = { offsetMs: number };

const [databaseUrl = "", hosts = "", timeout = "10000"] = process.argv.slice(2);
const database = createDatabase(databaseUrl);
const times = { headersTimeoutMs: Number(timeout), totalTimeoutMs: Number(timeout) };
const fetch: typeof guardedFetch = (url, options) =>
  guardedFetch(url, { ...options, ...times, allowedHosts: hosts.split(",") });

process.on("message", async ({ offsetMs }: WorkerOrder) => {
  const clock = { ...systemClock, now: () => new Date(Date.now() + offsetMs) };
  const tools = { database, clock, ids: systemIds, log: pino({ level: "error" }), fetch, random: Math.random };
  const deadlineMs = clock.monotonicMs() + 120_000;
  process.send?.(await deliverWebhooks({ ...tools, keys: testKeys }, { deadlineMs }));
});
process.on("disconnect", () => process.exit());
await database.$queryRaw`SELECT 1`;
process.send?.("ready");
