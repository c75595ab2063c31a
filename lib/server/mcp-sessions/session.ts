import type { Caller } from "#lib/accounts/keys/index";
import { clientSubject, keySubject } from "#lib/accounts/limits/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { minuteMs } from "#lib/platform/time";
import type { Prisma } from "#prisma/generated/client";
import { deleteIdleSessions, deleteSession, findSessionRow, insertSession, touchSession } from "./store";

/** How long a session lives without a request and without an open stream, in milliseconds. */
export const sessionIdleMs = 24 * 60 * minuteMs;
/** Most open sessions of one key, or of one client network without a key. */
export const maxSessionCount = 100;

export type SessionContext = {
  database: Database;
  clock: Clock;
  caller: Caller;
  clientAddress: () => string | null;
};

/** A session of an MCP client. */
export type Session = {
  id: string;
  protocolVersion: string;
  /** The params of the client's `initialize`. */
  client: unknown;
};

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Opens a session. The one of the same subject that was not seen for longest ends where there are too many. */
export async function openSession(
  { database, clock, caller, clientAddress }: SessionContext,
  { client, protocolVersion }: { client: Prisma.InputJsonObject; protocolVersion: string },
): Promise<Session> {
  const at = clock.now();
  const { limitId } = caller;
  const subject = limitId === null ? clientSubject(clientAddress(), at) : keySubject(limitId);
  // Random in all its bits: whoever holds the id of a session without a key is its owner.
  const id = crypto.randomUUID();
  await insertSession(database, { id, limitId, subject, protocolVersion, client, at, maxCount: maxSessionCount });
  return { id, protocolVersion, client };
}

/** The caller's session of this id; null where there is none, where it has ended, and where it is another one's. */
export async function findSession({ database, clock, caller }: SessionContext, id: string): Promise<Session | null> {
  if (!idPattern.test(id)) return null;
  const row = await findSessionRow(database, id);
  if (!row || row.limitId !== caller.limitId) return null;
  const now = clock.now();
  const idleMs = now.getTime() - row.lastSeenAt.getTime();
  if (idleMs > sessionIdleMs) return null;
  if (idleMs > minuteMs) await touchSession(database, id, now);
  return { id, protocolVersion: row.protocolVersion, client: row.client };
}

/** Ends a session and the streams that carry its notifications, wherever they are. */
export async function endSession({ database }: { database: Database }, session: Session): Promise<void> {
  await deleteSession(database, session.id);
}

/** Deletes sessions that are past their time, some at a time; gives how many there were. */
export async function pruneSessions(
  { database, clock }: { database: Database; clock: Clock },
  limit: number,
): Promise<number> {
  return deleteIdleSessions(database, { before: new Date(clock.now().getTime() - sessionIdleMs), limit });
}
