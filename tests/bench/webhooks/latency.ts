import { setTimeout as wait } from "node:timers/promises";
import { pino } from "pino";
import { systemClock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { systemIds } from "#lib/platform/ids";
import { guardedFetch } from "#lib/platform/outbound/index";
import { deliverWebhooks } from "#lib/tracking/webhooks/index";
import { createTestDatabase } from "#tests/support/database";
import { addCaller, addWebhook, enqueueEvent, hang, startReceivers, testKeys } from "#tests/support/webhook-receivers";
import { type Spread, spreadOf } from "../harness";

const webhookCount = 40;
const half = webhookCount / 2;
const eventCount = 100;
const eventIntervalMs = 100;

type Scenario = {
  name: string;
  /** Whether the receivers of the second half never respond. */
  isHalfHanging?: boolean;
  /** Of which half deliveries are due before the events. */
  waitingHalf?: "first" | "second";
};

export const scenarios: readonly Scenario[] = [
  { name: "all are healthy" },
  { name: "half of the receivers never respond", isHalfHanging: true },
  { name: "half of them never respond, and deliveries wait for those", isHalfHanging: true, waitingHalf: "second" },
  { name: "deliveries wait for other webhooks", waitingHalf: "second" },
  { name: "deliveries wait for the same webhooks", waitingHalf: "first" },
];

/** Returns a context for deliveries to hosts on this machine. */
export function deliveryContext(database: Database, allowedHosts: readonly string[]) {
  const fetch: typeof guardedFetch = (url, options) =>
    guardedFetch(url, { ...options, allowedHosts: [...allowedHosts] });
  return { database, clock: systemClock, ids: systemIds, random: Math.random, fetch, keys: testKeys };
}

/** Measures the time from an event to its first attempt at the healthy receivers of the first half. */
export async function measureLatency({ name, isHalfHanging = false, waitingHalf }: Scenario, waitingCount: number) {
  const database = await createTestDatabase();
  const { client } = database;
  const receivers = await startReceivers(webhookCount);
  const stop = new AbortController();
  try {
    const ids: string[] = [];
    for (const some of [receivers.slice(0, half), receivers.slice(half)]) {
      const caller = await addCaller(client);
      for (const { url } of some) ids.push((await addWebhook(client, caller, url)).id);
    }
    if (isHalfHanging) for (const receiver of receivers.slice(half)) receiver.answer = hang;
    if (waitingHalf) {
      const where = { id: { notIn: waitingHalf === "first" ? ids.slice(0, half) : ids.slice(half) } };
      await client.webhook.updateMany({ where, data: { events: [] } });
      for (let count = 0; count < waitingCount / half; count += 1) await enqueueEvent(client);
      await client.webhook.updateMany({ where, data: { events: ["intelligence.high_significance"] } });
    }
    const hosts = receivers.map(({ host }) => host);
    const context = { ...deliveryContext(client, hosts), log: pino({ level: "fatal" }) };
    const deadlineMs = systemClock.monotonicMs() + 600_000;
    const deliver = async () => {
      while (!stop.signal.aborted) {
        await deliverWebhooks(context, { deadlineMs, signal: stop.signal });
        await wait(10);
      }
    };
    const running = deliver();
    const startedMs = new Map<string, number>();
    for (let count = 0; count < eventCount; count += 1) {
      const atMs = performance.now();
      startedMs.set((await enqueueEvent(client)).eventId ?? "", atMs);
      await wait(eventIntervalMs);
    }
    const received = () =>
      receivers.slice(0, half).flatMap((receiver) => receiver.received.filter(({ eventId }) => startedMs.has(eventId)));
    while (received().length < eventCount * half) await wait(50);
    stop.abort();
    await running;
    const spread: Spread = spreadOf(received().map(({ eventId, atMs }) => atMs - startedMs.get(eventId)!));
    return { name, ...spread };
  } finally {
    stop.abort();
    for (const receiver of receivers) await receiver.stop();
    await database.drop();
  }
}
