import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Caller } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { childEnvironment } from "#lib/platform/config";
import { deleteWebhook } from "#lib/tracking/webhooks/index";
import { isExtended, repeatedTimeoutMs } from "#tests/support/extended";
import { seededRandom } from "#tests/support/seeded-random";
import { sharedDatabase } from "#tests/support/shared-database";
import {
  addCaller,
  addWebhook,
  cutOff,
  enqueueEvent,
  hang,
  type Receiver,
  sometimes,
  startReceivers,
  status,
} from "#tests/support/webhook-receivers";
import { bundle, cacheFolder } from "../../lib/cli/bootstrap/command-bundle.mjs";

const receiverCount = 20;
/** The first receivers never fail: a repeated delivery to them results from a kill or from a very busy machine. */
const healthyCount = 6;
/** `npm test -- --extended` has the full count. */
const killCount = isExtended ? 30 : 1;
const timeout = repeatedTimeoutMs(killCount);
/** Events per receiver; with `WEBHOOK_EVENTS=500` there are ten thousand deliveries. */
const eventCount = Number(childEnvironment().WEBHOOK_EVENTS ?? (isExtended ? 50 : 4));
/** Maps a round of the full run to one of this run. */
const roundAt = (round: number) => Math.floor((round * killCount) / 30);
/** Time between rounds on the workers' clock: all leases expire, and the first retries become due. */
const roundMs = 10 * 60_000;
const dayMs = 24 * 60 * 60_000;
/** Workers are bundled to JavaScript, because loading TypeScript would take most of their short lifetime. */
const workerFolder = join(cacheFolder, `webhook-worker-${process.pid}`);
const workerFile = join(workerFolder, "webhook-worker.js");

const database = sharedDatabase();
let receivers: Receiver[];
beforeAll(async () => {
  await bundle(["tests/support/webhook-worker.ts"], workerFolder);
  receivers = await startReceivers(receiverCount);
});
afterAll(async () => {
  for (const receiver of receivers) await receiver.stop();
  rmSync(workerFolder, { recursive: true });
});

/** A worker in a separate process. */
class Worker {
  readonly #child: ChildProcess;
  readonly ready: Promise<unknown>;
  readonly #gone: Promise<unknown>;

  constructor() {
    const hosts = receivers.map(({ host }) => host).join(",");
    this.#child = fork(workerFile, [database.url, hosts, "2000"], {
      env: childEnvironment({ BASE_URL: undefined, NODE_OPTIONS: undefined }),
    });
    this.ready = once(this.#child, "message");
    this.#gone = once(this.#child, "exit");
  }

  /** Delivers until nothing is due, or the worker is killed. */
  async deliver(offsetMs: number): Promise<void> {
    const answered = new Promise((resolve) => this.#child.once("message", resolve));
    this.#child.send({ offsetMs });
    await Promise.race([answered, this.#gone]);
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    this.#child.kill(signal);
    await this.#gone;
  }
}

const random = seededRandom("webhooks-kill");
const serverError = status(500);
/** Sets how receivers fail during the kill rounds. Those not named here always answer 200. */
function setFailures(): void {
  const setAnswer = (from: number, to: number, answer: Receiver["answer"]) => {
    for (const receiver of receivers.slice(from, to)) receiver.answer = answer;
  };
  setAnswer(healthyCount, 9, sometimes(0.3, serverError, status(200), random));
  setAnswer(9, 10, sometimes(0.3, status(429, { "retry-after": "700" }), status(200), random));
  setAnswer(10, 12, sometimes(0.2, hang, status(200), random));
  setAnswer(12, 13, status(307, { location: receivers[0]?.url ?? "" }));
  setAnswer(13, 15, sometimes(0.2, cutOff, status(200), random));
}
const [gone, deleted, firstOffline, secondOffline] = [16, 17, 18, 19];

it(`${eventCount * receiverCount} deliveries survive ${killCount} killed workers of two instances`, {
  timeout,
}, async () => {
  const { client } = database;
  const caller: Caller = await addCaller(client);
  const webhooks: { id: string }[] = [];
  for (const { url } of receivers) webhooks.push(await addWebhook(client, caller, url));
  setFailures();

  const sent: { eventId: string; round: number }[] = [];
  const enqueue = async (round: number, offsetMs: number) => {
    const until = Math.ceil((eventCount * (round + 1)) / killCount);
    for (; sent.length < until; ) {
      const at = new Date(Date.now() + offsetMs);
      const { eventId } = await enqueueEvent(client, { data: { n: sent.length }, at });
      sent.push({ eventId: eventId as string, round });
    }
  };
  const totalReceived = () => receivers.reduce((sum, { received }) => sum + received.length, 0);

  let [first, second, spare] = [new Worker(), new Worker(), new Worker()];
  let killed = 0;
  let receivedAtDeletion = 0;
  let offsetMs = 0;
  for (let round = 0; round < killCount; round += 1) {
    offsetMs += roundMs;
    if (round === roundAt(8)) await Promise.all([receivers[firstOffline]?.stop(), receivers[secondOffline]?.stop()]);
    if (round === roundAt(16)) await Promise.all([receivers[firstOffline]?.start(), receivers[secondOffline]?.start()]);
    if (round === roundAt(18)) (receivers[12] as Receiver).answer = status(200);
    if (round === roundAt(20)) (receivers[gone] as Receiver).answer = status(410);
    await enqueue(round, offsetMs);
    await Promise.all([first.ready, second.ready]);
    const before = totalReceived();
    const runs = Promise.all([first.deliver(offsetMs), second.deliver(offsetMs)]);
    const fatalCount = 1 + Math.floor((random() * eventCount * receiverCount * 0.8) / killCount);
    await Promise.race([
      runs,
      vi.waitFor(() => expect(totalReceived() - before).toBeGreaterThanOrEqual(fatalCount), {
        timeout: 600_000,
        interval: 1,
      }),
    ]);
    if (round === roundAt(12)) {
      // The workers are delivering at this moment.
      const context = { caller, clock: systemClock, database: client };
      await deleteWebhook(context, { query: { id: (webhooks[deleted] as { id: string }).id } });
      receivedAtDeletion = (receivers[deleted] as Receiver).received.length;
    }
    const victim = random() < 0.5 ? first : second;
    await victim.kill();
    killed += 1;
    await runs;
    if (victim === first) first = spare;
    else second = spare;
    spare = new Worker();
  }

  // No more kills and failures. Time passes until all retries are done.
  for (const [index, receiver] of receivers.entries()) if (index !== gone) receiver.answer = status(200);
  await Promise.all([first.ready, second.ready]);
  for (let day = 0; day < 12; day += 1) {
    offsetMs += dayMs + dayMs / 4;
    await Promise.all([first.deliver(offsetMs), second.deliver(offsetMs)]);
    if ((await client.webhookDelivery.count({ where: { status: "pending" } })) === 0) break;
  }
  await spare.ready;
  await Promise.all([first, second, spare].map((worker) => worker.kill("SIGTERM")));

  const ids = new Set(sent.map(({ eventId }) => eventId));
  expect(ids.size).toBe(eventCount);
  const live = receivers.filter((_receiver, index) => index !== gone && index !== deleted);
  for (const [index, { received }] of live.entries()) {
    const got = new Set(received.map(({ eventId }) => eventId));
    expect([index, [...ids].filter((id) => !got.has(id))]).toEqual([index, []]);
  }
  // At most the deliveries in progress at the deletion arrived after it, none from a later round.
  const afterDeletion = (receivers[deleted] as Receiver).received.slice(receivedAtDeletion);
  const roundOf = new Map(sent.map(({ eventId, round }) => [eventId, round]));
  expect(afterDeletion.length).toBeLessThanOrEqual(4);
  for (const { eventId } of afterDeletion) expect(roundOf.get(eventId)).toBeLessThanOrEqual(roundAt(12));

  const states = await client.webhookDelivery.groupBy({ by: ["status"], _count: true });
  expect(states.map(({ status: state }) => state).sort()).toEqual(["cancelled", "delivered"]);
  const ended = await client.webhook.findMany({ where: { active: false }, select: { deactivatedReason: true } });
  expect(ended.map(({ deactivatedReason }) => deactivatedReason).sort()).toEqual([
    "deleted by its owner",
    "the receiver answered 410 Gone",
  ]);
  expect(killed).toBe(killCount);
  for (const { maxOpenCount } of live) expect(maxOpenCount).toBeLessThanOrEqual(8);

  const failed = await client.webhookAttempt.count({
    where: { httpStatus: null, delivery: { webhookId: { in: webhooks.slice(0, healthyCount).map(({ id }) => id) } } },
  });
  const order = sent.map(({ eventId }) => eventId);
  report(live, order, { failed, late: afterDeletion.length });
});

/** Prints how often receivers got the same event twice, and events out of order. */
function report(live: readonly Receiver[], order: readonly string[], counts: { failed: number; late: number }): void {
  const positions = new Map(order.map((id, index) => [id, index]));
  const sum = (of: readonly Receiver[], count: (receiver: Receiver) => number) =>
    of.reduce((total, receiver) => total + count(receiver), 0);
  const requests = ({ received }: Receiver) => received.length;
  const distinct = ({ received }: Receiver) => new Set(received.map(({ eventId }) => eventId)).size;
  const outOfOrder = ({ received }: Receiver) => {
    const arrived = received.map(({ eventId }) => positions.get(eventId) ?? 0);
    return arrived.filter((at, index) => index > 0 && at < (arrived[index - 1] as number)).length;
  };
  const healthy = live.slice(0, healthyCount);
  const repeated = sum(healthy, requests) - sum(healthy, distinct);
  console.log(
    `${sum(live, requests)} requests for ${sum(live, distinct)} deliveries to ${live.length} live receivers. ` +
      `At the ${healthyCount} that never failed: ${sum(healthy, requests)} requests, ${repeated} of them repeated ` +
      `(${counts.failed} after a timeout, the others after a kill), ${sum(healthy, outOfOrder)} out of order. ` +
      `${counts.late} were in progress at a deletion and arrived after it.`,
  );
}
