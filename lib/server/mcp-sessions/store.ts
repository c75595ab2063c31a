import { LRUCache } from "lru-cache";
import { batchCalls } from "#lib/platform/batch-calls";
import { type Database, queryDirectly } from "#lib/platform/database/index";
import { notifyChannel } from "#lib/platform/database/notify-listener";
import { processSingleton } from "#lib/platform/process-singleton";
import { secondMs } from "#lib/platform/time";
import { newestPosition } from "#lib/server/notifications/index";
import type { OpenStream, StreamUpdate } from "./types";

type SessionRow = { id: string; limitId: string | null; protocolVersion: string; lastSeenAt: Date };

type NewSession = {
  id: string;
  limitId: string | null;
  subject: string;
  protocolVersion: string;
  at: Date;
  /** Maximum open sessions of the subject; the least recently used ones are deleted first. */
  maxCount: number;
};

/** Sessions that this process has read within the last second. */
const recentSessions = () =>
  processSingleton("mcp-sessions", () => new LRUCache<string, SessionRow>({ max: 1_000, ttl: secondMs }));

export async function insertSession(client: Database, { at, maxCount, ...session }: NewSession): Promise<void> {
  const ended = await client.$transaction(async (transaction) => {
    const rows = await transaction.$queryRaw<{ id: string }[]>`
      DELETE FROM mcp_sessions WHERE id IN (
        SELECT id FROM mcp_sessions WHERE subject = ${session.subject} ORDER BY last_seen_at DESC OFFSET ${maxCount - 1})
      RETURNING id`;
    const position = await newestPosition(transaction);
    const data = { ...session, position, createdAt: at, lastSeenAt: at };
    await transaction.mcpSession.create({ data, select: { id: true } });
    return rows;
  });
  for (const { id } of ended) recentSessions().delete(id);
}

const sessionsStatement = `
  SELECT id, limit_id AS "limitId", protocol_version AS "protocolVersion", last_seen_at AS "lastSeenAt"
  FROM mcp_sessions WHERE id = ANY($1)`;

/** Most sessions that one statement reads. */
const maxBatchCount = 64;

/** Concurrent calls share a statement. */
const readSessionRow = batchCalls<Database, string, SessionRow | null>(
  async (client, ids) => {
    const rows = (await queryDirectly(client, { text: sessionsStatement, values: [ids] })) as SessionRow[];
    const known = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => known.get(id) ?? null);
  },
  { maxCount: maxBatchCount },
);

/** Returns a session, or null. One that has ended since it was read may be returned for a second more. */
export async function findSessionRow(client: Database, id: string): Promise<SessionRow | null> {
  const recent = recentSessions();
  const known = recent.get(id);
  if (known) return known;
  const row = await readSessionRow(client, id);
  if (row) recent.set(id, row);
  return row;
}

export async function touchSession(client: Database, id: string, at: Date): Promise<void> {
  recentSessions().delete(id);
  await client.mcpSession.updateMany({ where: { id }, data: { lastSeenAt: at } });
}

/** Ends a session and its streams on every instance. */
export async function deleteSession(client: Database, id: string): Promise<void> {
  await client.mcpSession.deleteMany({ where: { id } });
  recentSessions().delete(id);
  await client.$executeRaw`SELECT pg_notify(${notifyChannel}, '')`;
}

/** Stores a subscription once. Returns why not: the session has ended, or already has `maxCount` others. */
export async function insertSubscription(
  client: Database,
  { sessionId, topic, maxCount }: { sessionId: string; topic: string; maxCount: number },
): Promise<"stored" | "ended" | "many"> {
  return client.$transaction(async (transaction) => {
    // Locks the session's row: two concurrent calls would otherwise both be below the maximum.
    const lockedCount =
      await transaction.$executeRaw`SELECT 1 FROM mcp_sessions WHERE id = ${sessionId}::uuid FOR UPDATE`;
    if (lockedCount === 0) return "ended";
    const count = await transaction.mcpSubscription.count({ where: { sessionId, topic: { not: topic } } });
    if (count >= maxCount) return "many";
    const data = { sessionId, topic };
    await transaction.mcpSubscription.createMany({ data, skipDuplicates: true });
    return "stored";
  });
}

export async function deleteSubscription(client: Database, sessionId: string, topic: string): Promise<void> {
  await client.mcpSubscription.deleteMany({ where: { sessionId, topic } });
}

/** Makes a stream the session's only one. Returns the position from which it resumes; null if the session has ended. */
export async function takeStream(
  client: Database,
  { sessionId, streamId, receivedUpTo }: { sessionId: string; streamId: string; receivedUpTo: bigint | null },
): Promise<bigint | null> {
  const rows = await client.$queryRaw<{ position: bigint }[]>`
    UPDATE mcp_sessions SET stream_id = ${streamId}::uuid,
      position = LEAST(COALESCE(${receivedUpTo}, position), (SELECT COALESCE(MAX(id), 0) FROM notifications))
    WHERE id = ${sessionId}::uuid RETURNING position`;
  await client.$executeRaw`SELECT pg_notify(${notifyChannel}, '')`;
  return rows[0]?.position ?? null;
}

/**
 * Returns the updates of the open streams that are still the current stream of their session: the changes after each
 * stream's position, oldest first, and the newest id of all changes.
 */
export async function readStreams(
  client: Database,
  streams: readonly OpenStream[],
  limit: number,
): Promise<StreamUpdate[]> {
  const ids = streams.map(({ sessionId }) => sessionId);
  const streamIds = streams.map(({ streamId }) => streamId);
  const positions = streams.map(({ position }) => position);
  const rows = await client.$queryRaw<{ stream_id: string; newest: bigint; id: bigint | null; topic: string | null }[]>`
    SELECT s.stream_id, newest.id AS newest, n.id, n.topic
    FROM unnest(${ids}::uuid[], ${streamIds}::uuid[], ${positions}::bigint[]) AS open(session_id, stream_id, position)
    JOIN mcp_sessions s ON s.id = open.session_id AND s.stream_id = open.stream_id
    CROSS JOIN (SELECT COALESCE(MAX(id), 0) AS id FROM notifications) AS newest
    LEFT JOIN LATERAL (
      SELECT notifications.id, notifications.topic
      FROM (SELECT 'tools' AS topic UNION ALL SELECT topic FROM mcp_subscriptions WHERE session_id = s.id) AS wanted
      JOIN notifications ON notifications.topic = wanted.topic AND notifications.id > open.position
      ORDER BY notifications.id LIMIT ${limit}
    ) AS n ON true
    ORDER BY n.id`;
  const updates = new Map<string, StreamUpdate>();
  for (const { stream_id: streamId, newest, id, topic } of rows) {
    const update = updates.get(streamId) ?? { streamId, newest, changes: [] };
    if (id !== null && topic !== null) update.changes.push({ id, topic });
    updates.set(streamId, update);
  }
  return [...updates.values()];
}

export async function touchStreams(client: Database, sessionIds: readonly string[], at: Date): Promise<void> {
  await client.mcpSession.updateMany({ where: { id: { in: [...sessionIds] } }, data: { lastSeenAt: at } });
}

/** Deletes up to `limit` sessions not used since `before`. Returns how many were deleted. */
export async function deleteIdleSessions(
  client: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  return client.$executeRaw`
    DELETE FROM mcp_sessions WHERE id IN (
      SELECT id FROM mcp_sessions WHERE last_seen_at < ${before} ORDER BY last_seen_at LIMIT ${limit})`;
}
