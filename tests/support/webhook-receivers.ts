import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { type Caller, createKey } from "#lib/accounts/keys/index";
import { type AccountTier, plans } from "#lib/accounts/plans/index";
import type { Clock } from "#lib/platform/clock";
import { systemClock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { systemIds } from "#lib/platform/ids";
import { readFilters } from "#lib/tracking/change-filters/index";
import { readMailChanges } from "#lib/tracking/digests/sending/store";
import { createWebhook, type HighSignificance, prepareHighSignificance } from "#lib/tracking/webhooks/index";
import { LoopbackServer, readBody } from "./loopback-server";

/** What an event of the tests is about, which webhooks without filters receive. */
export const anySubject = { vendorSlug: "acme", categories: [], significance: 4 };

/** One key to encrypt the tests' secrets with. */
export const testKeys = [Buffer.alloc(32, 7)] as const;

/** A delivery as received. */
export type Received = { headers: IncomingHttpHeaders; body: string; eventId: string; atMs: number };

/** Responds to a delivery. */
export type ReceiverAnswer = (response: ServerResponse, received: Received) => void;

/** Responds with a status at once. */
export function status(code: number, headers: Record<string, string> = {}, body = ""): ReceiverAnswer {
  return (response) => {
    response.writeHead(code, headers).end(body);
  };
}

/** Never responds. */
export const hang: ReceiverAnswer = () => undefined;
/** Accepts the request and closes the connection. */
export const cutOff: ReceiverAnswer = (response) => void response.destroy();
/** Starts a response with 200 and does not end it. */
export const hangInBody: ReceiverAnswer = (response) => void response.writeHead(200).write("o");

/** Gives `answer` to a random share of the requests, `otherwise` to the rest. */
export function sometimes(
  share: number,
  answer: ReceiverAnswer,
  otherwise: ReceiverAnswer,
  random: () => number,
): ReceiverAnswer {
  return (response, received) => (random() < share ? answer : otherwise)(response, received);
}

/** Server on the loopback interface that receives webhooks. */
export class Receiver extends LoopbackServer {
  answer: ReceiverAnswer = status(200);
  readonly received: Received[] = [];

  get url(): string {
    return `${this.origin}/hooks`;
  }

  stop(): Promise<void> {
    return this.close();
  }

  protected async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { headers } = request;
      const body = (await readBody(request)).toString("utf8");
      const received = { headers, body, eventId: String(headers["webhook-id"]), atMs: performance.now() };
      this.received.push(received);
      this.answer(response, received);
    } catch {
      // The sender was killed.
    }
  }
}

export async function startReceivers(count: number): Promise<Receiver[]> {
  const receivers = Array.from({ length: count }, () => new Receiver());
  for (const receiver of receivers) await receiver.start();
  return receivers;
}

/** Adds an account with a key and returns the caller that uses it. */
export async function addCaller(database: Database, tier: AccountTier = "pro", clock: Clock = systemClock) {
  const { stored } = await createKey({ database, clock, ids: systemIds }, { tier, label: "test" });
  const { id: keyId, accountId, limitId } = stored;
  return { tier, plan: plans[tier], keyId, accountId, limitId } satisfies Caller;
}

type Filters = Parameters<typeof readFilters>[1];

/** Registers a webhook without checking its URL. */
export async function addWebhook(
  database: Database,
  caller: Caller,
  url: string,
  clock: Clock = systemClock,
  filters?: Filters,
) {
  const context = { caller, clock, ids: systemIds, database };
  const check = async (text: string) => new URL(text);
  const body = { url, events: ["intelligence.high_significance" as const], filters };
  const { webhook, secret } = await createWebhook(context, { body }, { keys: testKeys, check });
  return { ...webhook, secret };
}

/** Stores an event, by default of no report, for the webhooks that may receive it. */
export async function enqueueEvent(database: Database, given: Partial<HighSignificance> = {}) {
  const defaults = {
    data: {},
    reportId: null,
    vendorAccountId: null,
    subject: anySubject,
    at: new Date(),
    ids: systemIds,
  };
  const event = await prepareHighSignificance(database, { ...defaults, ...given });
  if (!event) return { eventId: null, deliveryCount: 0 };
  const { deliveries, at: createdAt, ...row } = event;
  const rows = deliveries.map((delivery) => ({ ...delivery, createdAt, nextAttemptAt: createdAt }));
  await database.webhookEvent.create({ data: { ...row, createdAt, deliveries: { createMany: { data: rows } } } });
  return { eventId: row.id, deliveryCount: rows.length };
}

/** Adds a confirmed digest of each change. Returns its id. */
export async function addDigest(database: Database, caller: Caller, filters: Filters, now: Date): Promise<string> {
  const stored = await readFilters({ database, caller, clock: { ...systemClock, now: () => now } }, filters);
  const unsubscribeHash = randomBytes(32).toString("hex");
  const row = { id: systemIds.next(), accountId: caller.accountId as string, contact: "", unsubscribeHash };
  const dates = { nextDueAt: now, createdAt: now, updatedAt: now };
  const data = { ...row, ...dates, ...stored, frequency: "each", status: "active" } as const;
  return (await database.digest.create({ data })).id;
}

/** Returns the changes in a mail of all that a digest has waiting. */
export async function mailedChanges(database: Database, digestId: string, now: Date) {
  const mail = { id: systemIds.next(), digestId, nextAttemptAt: now, createdAt: now };
  await database.digestMail.create({ data: mail });
  await database.digestItem.updateMany({ where: { digestId }, data: { mailId: mail.id } });
  return (await readMailChanges(database, mail.id, 10)).changes;
}
