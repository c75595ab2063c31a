import { pino } from "pino";
import { Agent, Client, request } from "undici";
import { systemClock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { systemIds } from "#lib/platform/ids";
import { guardedFetch } from "#lib/platform/outbound/index";
import { deliverWebhooks, enqueueHighSignificance, maxActiveCount } from "#lib/tracking/webhooks/index";
import { defaultConcurrency } from "#lib/tracking/webhooks/sending/deliver-webhooks";
import { signDelivery } from "#lib/tracking/webhooks/sending/post-delivery";
import { addCaller, addWebhook, anySubject, testKeys } from "#tests/support/webhook-receivers";

export const attemptsAtOnce = defaultConcurrency;

/** A program that sends the deliveries of a number of events to every receiver. */
export type Sender = {
  name: string;
  /** Preparation that is not timed. */
  prepare(eventCount: number): Promise<void>;
  send(eventCount: number): Promise<void>;
};

const data = { report: { summary: "x".repeat(400), key_quotes: ["y".repeat(200)] }, vendor: {}, diff: {} };

/** The outbox and `deliverWebhooks`, with a row for each attempt. */
export async function tapedeckSender(database: Database, urls: readonly string[]): Promise<Sender> {
  for (let start = 0; start < urls.length; start += maxActiveCount) {
    const caller = await addCaller(database);
    for (const url of urls.slice(start, start + maxActiveCount)) await addWebhook(database, caller, url);
  }
  const allowedHosts = urls.map((url) => new URL(url).host);
  const fetch: typeof guardedFetch = (url, options) => guardedFetch(url, { ...options, allowedHosts });
  const context = { database, clock: systemClock, ids: systemIds, fetch, random: Math.random, keys: testKeys };
  const at = () => ({ at: new Date(), ids: systemIds, reportId: null, vendorAccountId: null, subject: anySubject });
  return {
    name: "tapedeck",
    prepare: async (eventCount) => {
      await database.webhookEvent.deleteMany();
      for (let count = 0; count < eventCount; count += 1)
        await database.$transaction((transaction) => enqueueHighSignificance(transaction, { data, ...at() }));
    },
    send: async () => {
      const deadlineMs = systemClock.monotonicMs() + 600_000;
      const log = pino({ level: "error" });
      const { left } = await deliverWebhooks({ ...context, log }, { deadlineMs, concurrency: attemptsAtOnce });
      if (left > 0) throw new Error(`${left} deliveries were left`);
    },
  };
}

type Post = (url: string, body: string, headers: Record<string, string>) => Promise<void>;

/** A loop of signed POST requests that stores nothing. */
function bareSender(name: string, urls: readonly string[], post: Post): Sender {
  const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  return {
    name,
    prepare: async () => undefined,
    send: async (eventCount) => {
      const total = eventCount * urls.length;
      let next = 0;
      const work = async () => {
        while (next < total) {
          const url = urls[next++ % urls.length] as string;
          const id = systemIds.next();
          const body = JSON.stringify({ id, type: "intelligence.high_significance", data });
          const signed = signDelivery([secret], { id, body, at: new Date() });
          await post(url, body, { "content-type": "application/json", ...signed });
        }
      };
      await Promise.all(Array.from({ length: attemptsAtOnce }, work));
    },
  };
}

/** Connections are reused. */
export function keptConnections(urls: readonly string[]): Sender {
  const dispatcher = new Agent();
  return bareSender("bare undici, connections kept", urls, async (url, body, headers) => {
    const answer = await request(url, { method: "POST", body, headers, dispatcher });
    await answer.body.text();
  });
}

/** A new connection for each POST, as required by a guard that checks each destination. */
export function newConnections(urls: readonly string[]): Sender {
  return bareSender("bare undici, a connection each", urls, async (url, body, headers) => {
    const { origin, pathname } = new URL(url);
    const client = new Client(origin);
    const answer = await client.request({ path: pathname, method: "POST", body, headers, reset: true });
    await answer.body.text();
    await client.destroy();
  });
}
