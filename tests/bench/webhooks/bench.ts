import type { IncomingMessage, ServerResponse } from "node:http";
import { pino } from "pino";
import { Agent, Client, request } from "undici";
import { systemClock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { systemIds } from "#lib/platform/ids";
import { deliverWebhooks, maxActiveCount } from "#lib/tracking/webhooks/index";
import { defaultConcurrency } from "#lib/tracking/webhooks/sending/deliver-webhooks";
import { signDelivery } from "#lib/tracking/webhooks/sending/post-delivery";
import { createTestDatabase } from "#tests/support/database";
import { LoopbackServer } from "#tests/support/loopback-server";
import { addCaller, addWebhook, enqueueEvent } from "#tests/support/webhook-receivers";
import { defineBench, format, inParallel, limit, median, ratio, takeTurns } from "../harness";
import { startRole } from "../processes";
import { deliveryContext, measureLatency, scenarios } from "./latency";
import { measureVersions } from "./version-latency";

/** Receivers, which count requests. A message returns the number since the last one. */
export async function receivers(receiverCount: number) {
  let requestCount = 0;
  class Receiver extends LoopbackServer {
    protected handle(request: IncomingMessage, response: ServerResponse) {
      requestCount += 1;
      request.resume().on("end", () => response.end("ok"));
    }
  }
  const ports: number[] = [];
  for (let index = 0; index < receiverCount; index += 1) {
    ports.push((await new Receiver().start()).port);
  }
  const answer = () => {
    const seen = requestCount;
    requestCount = 0;
    return seen;
  };
  return { ready: ports, answer };
}

/** A program that sends the deliveries of a number of events to every receiver. What `prepare` does is not timed. */
type Sender = { name: string; prepare(eventCount: number): Promise<void>; send(eventCount: number): Promise<void> };

const data = { report: { summary: "x".repeat(400), key_quotes: ["y".repeat(200)] }, vendor: {}, diff: {} };

/** The outbox and `deliverWebhooks`, with a row for each attempt. */
async function tapedeckSender(database: Database, urls: readonly string[]): Promise<Sender> {
  for (let start = 0; start < urls.length; start += maxActiveCount) {
    const caller = await addCaller(database);
    for (const url of urls.slice(start, start + maxActiveCount)) await addWebhook(database, caller, url);
  }
  const context = deliveryContext(
    database,
    urls.map((url) => new URL(url).host),
  );
  return {
    name: "tapedeck",
    prepare: async (eventCount) => {
      await database.webhookEvent.deleteMany();
      for (let index = 0; index < eventCount; index += 1) await enqueueEvent(database, { data });
    },
    send: async () => {
      const deadlineMs = systemClock.monotonicMs() + 600_000;
      const log = pino({ level: "error" });
      const { left } = await deliverWebhooks({ ...context, log }, { deadlineMs, concurrency: defaultConcurrency });
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
    send: (eventCount) =>
      inParallel(eventCount * urls.length, defaultConcurrency, async (index) => {
        const id = systemIds.next();
        const body = JSON.stringify({ id, type: "intelligence.high_significance", data });
        const signed = signDelivery([secret], { id, body, at: new Date() });
        await post(urls[index % urls.length]!, body, { "content-type": "application/json", ...signed });
      }),
  };
}

const dispatcher = new Agent();

const keepAlive: Post = async (url, body, headers) => {
  const answer = await request(url, { method: "POST", body, headers, dispatcher });
  await answer.body.text();
};

/** As required by a guard that checks each destination. */
const connectEachTime: Post = async (url, body, headers) => {
  const { origin, pathname } = new URL(url);
  const client = new Client(origin);
  const answer = await client.request({ path: pathname, method: "POST", body, headers, reset: true });
  await answer.body.text();
  await client.destroy();
};

const receiverCount = 40;
/** Response time of the receiver of new versions. */
const responseMs = 20;

export const bench = defineBench({
  about: `Sends events to ${receiverCount} receivers on this machine: with Tapedeck's outbox, leases and attempt rows, and with plain loops of signed
POST requests that store nothing. They take turns, with ${defaultConcurrency} concurrent requests each. Then measures the time from an event to its
first attempt, while deliveries wait and half of the receivers never respond, and from a new version to the webhook of all of them
with \`tapedeck worker\`.`,
  options: {
    events: {
      default: 100,
      quick: 5,
      min: 5,
      max: 1_000,
      about: `events in each round, of ${receiverCount} deliveries each`,
    },
    rounds: { default: 5, quick: 1, min: 1, max: 20, about: "rounds" },
    versions: { default: [15, 50], quick: [10], min: 1, max: 200, about: "new versions a second" },
    seconds: { default: 15, quick: 3, min: 3, max: 60, about: "time in which they are published" },
    waiting: { default: 4_000, quick: 100, min: 100, max: 100_000, about: "deliveries that wait" },
  },
  async run({ events, rounds, waiting, versions, seconds }, { say, cleanUp }) {
    const role = await startRole(import.meta.url, receivers, [receiverCount]);
    const database = await createTestDatabase();
    cleanUp(database.drop);
    const urls = role.ready.map((port) => `http://127.0.0.1:${port}/hooks`);
    const senders = [
      await tapedeckSender(database.client, urls),
      bareSender("bare loop, one connection per delivery", urls, connectEachTime),
      bareSender("bare loop, keep-alive connections", urls, keepAlive),
    ];
    const measure = async (sender: Sender, eventCount: number) => {
      await sender.prepare(eventCount);
      await role.ask(undefined);
      const [startMs, cpu] = [performance.now(), process.cpuUsage()];
      await sender.send(eventCount);
      const wallSeconds = (performance.now() - startMs) / 1_000;
      const { user, system } = process.cpuUsage(cpu);
      const [expected, requestCount] = [eventCount * receiverCount, await role.ask(undefined)];
      if (requestCount !== expected) throw new Error(`${sender.name} sent ${requestCount} requests, not ${expected}`);
      return { perSecond: expected / wallSeconds, cpuMs: (user + system) / 1_000 / expected };
    };
    await takeTurns(senders, 1, (sender) => measure(sender, 5));
    const measured = await takeTurns(senders, rounds, async (sender, round) => {
      const result = await measure(sender, events);
      say(`round ${round + 1} of ${rounds}, ${sender.name}: ${format(result.perSecond)} deliveries a second`);
      return result;
    });
    const results = senders.map(({ name }, index) => ({
      name,
      perSecond: median(measured[index]!.map(({ perSecond }) => perSecond)),
      cpuMs: median(measured[index]!.map(({ cpuMs }) => cpuMs)),
    }));
    const [own, bare] = [results[0]!.perSecond, results[1]!.perSecond];
    const latencies = [];
    for (const scenario of scenarios) {
      latencies.push(await measureLatency(scenario, waiting));
      say(`events while ${scenario.name}: p99 ${format(latencies.at(-1)?.p99Ms)} ms`);
    }
    const ofVersions = [];
    for (const perSecond of versions) {
      ofVersions.push({ perSecond, ...(await measureVersions({ perSecond, seconds, responseMs })) });
      say(`${perSecond} new versions a second: p99 ${format(ofVersions.at(-1)?.fromStored.p99Ms)} ms to the webhook`);
    }
    return {
      tables: [
        {
          head: ["Sender", "Deliveries per second", "CPU ms per delivery", "Tapedeck's relative rate"],
          rows: results.map(({ name, perSecond, cpuMs }, index) => [
            ...[name, format(perSecond), format(cpuMs)],
            index === 0 ? "–" : ratio(own, perSecond),
          ]),
        },
        {
          head: ["Event to first attempt, while", "p50 ms", "p99 ms"],
          rows: latencies.map(({ name, p50Ms, p99Ms }) => [name, format(p50Ms), format(p99Ms)]),
        },
        {
          head: [
            "New versions a second",
            "From stored, p50 ms",
            "p99 ms",
            "From due, p99 ms",
            "CPU ms",
            "Transactions",
          ],
          rows: ofVersions.map((each) =>
            [
              ...[each.perSecond, each.fromStored.p50Ms, each.fromStored.p99Ms, each.fromDue.p99Ms],
              ...[each.cpuMsPerVersion, each.transactionsPerVersion],
            ].map(format),
          ),
        },
      ],
      goals: [
        ...limit("deliveries ≥ 0.5 × a bare signed loop", { "": own / bare }, { atLeast: 0.5, unit: " ×" }),
        ...limit(
          "p99 from a stored version to its webhook ≤ 2 s",
          Object.fromEntries(
            ofVersions.map(({ perSecond, fromStored }) => [`${perSecond} a second`, fromStored.p99Ms / 1_000]),
          ),
          { atMost: 2, unit: " s" },
        ),
      ],
      results: { results, latencies, ofVersions },
    };
  },
});
