import { setTimeout as wait } from "node:timers/promises";
import { pino } from "pino";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { guardedFetch } from "#lib/platform/outbound/index";
import { deliverWebhooks, enqueueHighSignificance } from "#lib/tracking/webhooks/index";
import { createTestDatabase } from "#tests/support/database";
import { addCaller, addWebhook, anySubject, hang, startReceivers, testKeys } from "#tests/support/webhook-receivers";
import { quantileOfSorted } from "../replay/percentiles";

export const waitingCount = 4_000;
const webhookCount = 40;
const eventCount = 100;
const eventIntervalMs = 100;

export type Latency = { name: string; p50Ms: number; p99Ms: number };

type Scenario = {
  name: string;
  /** Whether the receivers of the second half never respond. */
  isHalfHanging: boolean;
  /** Deliveries that are due before the events, spread over webhooks of one half. */
  waiting: number;
  waitingHalf: "first" | "second";
};

const scenarios: readonly Scenario[] = [
  { name: "all healthy", isHalfHanging: false, waiting: 0, waitingHalf: "second" },
  { name: "half hang", isHalfHanging: true, waiting: 0, waitingHalf: "second" },
  { name: "half hang, 4,000 wait for them", isHalfHanging: true, waiting: waitingCount, waitingHalf: "second" },
  { name: "4,000 wait for other webhooks", isHalfHanging: false, waiting: waitingCount, waitingHalf: "second" },
  { name: "4,000 wait for the same webhooks", isHalfHanging: false, waiting: waitingCount, waitingHalf: "first" },
];

/** Sends events while deliveries run, and returns the time from each event to its first attempt at the first half. */
async function measureScenario({ name, isHalfHanging, waiting, waitingHalf }: Scenario): Promise<Latency> {
  const database = await createTestDatabase();
  const receivers = await startReceivers(webhookCount);
  const half = webhookCount / 2;
  try {
    const ids: string[] = [];
    for (const some of [receivers.slice(0, half), receivers.slice(half)]) {
      const caller = await addCaller(database.client);
      for (const { url } of some) ids.push((await addWebhook(database.client, caller, url)).id);
    }
    if (isHalfHanging) for (const receiver of receivers.slice(half)) receiver.answer = hang;
    const enqueue = () =>
      database.client.$transaction((transaction) => {
        const event = {
          data: {},
          reportId: null,
          vendorAccountId: null,
          subject: anySubject,
          at: new Date(),
          ids: systemIds,
        };
        return enqueueHighSignificance(transaction, event);
      });
    const backlogIds = waitingHalf === "first" ? ids.slice(0, half) : ids.slice(half);
    const others = { id: { notIn: backlogIds } };
    await database.client.webhook.updateMany({ where: others, data: { events: [] } });
    for (let count = 0; count < waiting / half; count += 1) await enqueue();
    const events = ["intelligence.high_significance"];
    await database.client.webhook.updateMany({ where: others, data: { events } });

    const allowedHosts = receivers.map(({ host }) => host);
    const fetch: typeof guardedFetch = (url, options) => guardedFetch(url, { ...options, allowedHosts });
    const tools = { clock: systemClock, ids: systemIds, log: pino({ level: "fatal" }), random: Math.random };
    const context = { database: database.client, ...tools, fetch, keys: testKeys };
    const stop = new AbortController();
    const deadlineMs = systemClock.monotonicMs() + 600_000;
    const deliver = async () => {
      while (!stop.signal.aborted) {
        await deliverWebhooks(context, { deadlineMs, signal: stop.signal });
        await wait(10);
      }
    };
    const running = deliver();
    const startedAt = new Map<string, number>();
    for (let count = 0; count < eventCount; count += 1) {
      const startedMs = performance.now();
      const { eventId } = await enqueue();
      startedAt.set(eventId ?? "", startedMs);
      await wait(eventIntervalMs);
    }
    const firstHalf = receivers.slice(0, half);
    const latencies = () =>
      firstHalf.flatMap(({ received }) =>
        received.flatMap(({ eventId, atMs }) => {
          const startedMs = startedAt.get(eventId);
          return startedMs === undefined ? [] : [atMs - startedMs];
        }),
      );
    while (latencies().length < eventCount * half) await wait(50);
    stop.abort();
    await running;
    const sorted = latencies().sort((one, other) => one - other);
    return { name, p50Ms: quantileOfSorted(sorted, 0.5), p99Ms: quantileOfSorted(sorted, 0.99) };
  } finally {
    for (const receiver of receivers) await receiver.stop();
    await database.drop();
  }
}

/** Measures the time from an event to its first attempt at healthy receivers in each scenario. */
export async function measureLatencies(): Promise<Latency[]> {
  const latencies: Latency[] = [];
  for (const scenario of scenarios) latencies.push(await measureScenario(scenario));
  return latencies;
}
