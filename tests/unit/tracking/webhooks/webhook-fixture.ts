import { pino } from "pino";
import type { Caller } from "#lib/accounts/keys/index";
import { systemIds } from "#lib/platform/ids";
import { guardedFetch } from "#lib/platform/outbound/index";
import { type DeliverOptions, deliverWebhooks, type HighSignificance } from "#lib/tracking/webhooks/index";
import { createTestDatabase } from "#tests/support/database";
import { createManualClock } from "#tests/support/fetch-context";
import { addCaller, addWebhook, anySubject, enqueueEvent, Receiver, testKeys } from "#tests/support/webhook-receivers";

/** Sets up a database, receivers and a manual clock. Deliveries use real connections. */
export async function createWebhookFixture() {
  const database = await createTestDatabase();
  const { clock, pass, sleep, waits } = createManualClock(new Date("2026-03-01T00:00:00Z"));
  const receivers: Receiver[] = [];
  const logged: string[] = [];
  const log = pino({ level: "trace", base: undefined }, { write: (line: string) => void logged.push(line) });
  const random = () => 0.5;
  // Tests with hanging receivers shorten it.
  const times = { headersTimeoutMs: 10_000, totalTimeoutMs: 10_000 };
  const fetch: typeof guardedFetch = (url, { clock: _clock, ...options } = {}) =>
    guardedFetch(url, { ...options, ...times, allowedHosts: receivers.map(({ host }) => host) });
  const context = { database: database.client, clock, ids: systemIds, log, fetch, random, keys: testKeys, sleep };
  return {
    database,
    client: database.client,
    clock,
    pass,
    sleep,
    waits,
    context,
    logged,
    setTimeoutMs: (timeoutMs: number) => {
      times.headersTimeoutMs = timeoutMs;
      times.totalTimeoutMs = timeoutMs;
    },
    addReceiver: async () => {
      const receiver = new Receiver();
      await receiver.start();
      receivers.push(receiver);
      return receiver;
    },
    caller: (tier?: Parameters<typeof addCaller>[1]) => addCaller(database.client, tier, clock),
    webhook: (caller: Caller, url: string) => addWebhook(database.client, caller, url, clock),
    enqueue: (
      data: unknown = { n: 1 },
      vendorAccountId: string | null = null,
      subject: HighSignificance["subject"] = anySubject,
    ) => enqueueEvent(database.client, { data, vendorAccountId, subject, at: clock.now() }),
    deliver: (options: Partial<DeliverOptions> = {}, changes: Partial<typeof context> = {}) =>
      deliverWebhooks({ ...context, ...changes }, { deadlineMs: clock.monotonicMs() + 3_600_000, ...options }),
    close: async () => {
      for (const receiver of receivers) await receiver.stop();
      await database.drop();
    },
  };
}

export type WebhookFixture = Awaited<ReturnType<typeof createWebhookFixture>>;
