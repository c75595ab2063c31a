import { clientSubject, keySubject } from "#lib/accounts/limits/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { dayMs, minuteMs } from "#lib/platform/time";
import type { Topic } from "#lib/server/notifications/index";
import { deleteIdleSessions, findSessionRow, insertSession, insertSubscription, touchSession } from "./store";
import type { Session, SessionContext } from "./types";

/** How long a session stays open without a request or an open stream, in milliseconds. */
export const sessionIdleMs = dayMs;
/** Maximum open sessions of one key, or of one client network without a key. */
export const maxSessionCount = 100;
/** Maximum topics that a session subscribes to. */
export const maxSubscriptionCount = 200;

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Returns the error for a session that has ended, which a client answers by opening another one. */
export function sessionEnded(): AppError {
  return new AppError("not_found", "There is no such session, or it has ended. Open another one with initialize.");
}

/** Opens a session. If its key or network has too many, the least recently used one ends. */
export async function openSession(
  { database, clock, caller, clientAddress }: SessionContext,
  protocolVersion: string,
): Promise<Session> {
  const at = clock.now();
  const { limitId } = caller;
  const subject = limitId === null ? clientSubject(clientAddress(), at) : keySubject(limitId);
  // Fully random: without a key, the id alone proves ownership of the session.
  const id = crypto.randomUUID();
  await insertSession(database, { id, limitId, subject, protocolVersion, at, maxCount: maxSessionCount });
  return { id, protocolVersion };
}

/** Returns the caller's session with this id; null if there is none, if it has ended, or if it belongs to another key. */
export async function findSession({ database, clock, caller }: SessionContext, id: string): Promise<Session | null> {
  if (!idPattern.test(id)) return null;
  const row = await findSessionRow(database, id);
  if (!row || row.limitId !== caller.limitId) return null;
  const now = clock.now();
  const idleMs = now.getTime() - row.lastSeenAt.getTime();
  if (idleMs > sessionIdleMs) return null;
  if (idleMs > minuteMs) await touchSession(database, id, now);
  return { id, protocolVersion: row.protocolVersion };
}

/** Deletes up to `limit` expired sessions. Returns how many were deleted. */
export async function pruneSessions(
  { database, clock }: { database: Database; clock: Clock },
  limit: number,
): Promise<number> {
  return deleteIdleSessions(database, { before: new Date(clock.now().getTime() - sessionIdleMs), limit });
}

/** Subscribes a session to a topic. Throws AppError not_found if it has ended, and conflict if it has too many subscriptions. */
export async function subscribe({ database }: { database: Database }, session: Session, topic: Topic): Promise<void> {
  const outcome = await insertSubscription(database, { sessionId: session.id, topic, maxCount: maxSubscriptionCount });
  if (outcome === "ended") throw sessionEnded();
  if (outcome === "stored") return;
  throw new AppError("conflict", `A session has at most ${maxSubscriptionCount} subscriptions. Unsubscribe from some.`);
}
