import type { Database } from "#lib/platform/database/index";
import { wakeChannel } from "#lib/platform/database/wakeups";
import { newestPosition } from "#lib/server/notifications/index";
import type { Prisma } from "#prisma/generated/client";
import type { OpenStream, StreamView } from "./streams";

export type SessionRow = {
  id: string;
  limitId: string | null;
  protocolVersion: string;
  client: unknown;
  lastSeenAt: Date;
};

const columns = { id: true, limitId: true, protocolVersion: true, client: true, lastSeenAt: true };

type NewSession = {
  id: string;
  limitId: string | null;
  subject: string;
  protocolVersion: string;
  client: Prisma.InputJsonObject;
  at: Date;
  /** Most open sessions of the subject: the ones not seen for longest make room. */
  maxCount: number;
};

export async function insertSession(client: Database, { at, maxCount, ...session }: NewSession): Promise<void> {
  await client.$transaction(async (transaction) => {
    await transaction.$executeRaw`
      DELETE FROM mcp_sessions WHERE id IN (
        SELECT id FROM mcp_sessions WHERE subject = ${session.subject} ORDER BY last_seen_at DESC OFFSET ${maxCount - 1})`;
    const position = await newestPosition(transaction);
    const data = { ...session, position, createdAt: at, lastSeenAt: at };
    await transaction.mcpSession.create({ data, select: { id: true } });
  });
}

export async function findSessionRow(client: Database, id: string): Promise<SessionRow | null> {
  return client.mcpSession.findUnique({ where: { id }, select: columns });
}

export async function touchSession(client: Database, id: string, at: Date): Promise<void> {
  await client.mcpSession.updateMany({ where: { id }, data: { lastSeenAt: at } });
}

export async function deleteSession(client: Database, id: string): Promise<void> {
  await client.mcpSession.deleteMany({ where: { id } });
  await client.$executeRaw`SELECT pg_notify(${wakeChannel}, '')`;
}

/** Keeps a subscription, once; false where the session has `maxCount` others already. */
export async function insertSubscription(
  client: Database,
  { sessionId, topic, maxCount }: { sessionId: string; topic: string; maxCount: number },
): Promise<boolean> {
  return client.$transaction(async (transaction) => {
    // The session's row is the lock: two at once would both see room.
    await transaction.$executeRaw`SELECT 1 FROM mcp_sessions WHERE id = ${sessionId}::uuid FOR UPDATE`;
    const count = await transaction.mcpSubscription.count({ where: { sessionId, topic: { not: topic } } });
    if (count >= maxCount) return false;
    const data = { sessionId, topic };
    await transaction.mcpSubscription.createMany({ data, skipDuplicates: true });
    return true;
  });
}

export async function deleteSubscription(client: Database, sessionId: string, topic: string): Promise<void> {
  await client.mcpSubscription.deleteMany({ where: { sessionId, topic } });
}

/** Makes a stream the session's one, and gives the position from which it goes on. */
export async function takeStream(
  client: Database,
  { sessionId, streamId, arrivedUpTo }: { sessionId: string; streamId: string; arrivedUpTo: bigint | null },
): Promise<bigint | null> {
  const rows = await client.$queryRaw<{ position: bigint }[]>`
    UPDATE mcp_sessions SET stream_id = ${streamId}::uuid,
      position = LEAST(COALESCE(${arrivedUpTo}, position), (SELECT COALESCE(MAX(id), 0) FROM notifications))
    WHERE id = ${sessionId}::uuid RETURNING position`;
  await client.$executeRaw`SELECT pg_notify(${wakeChannel}, '')`;
  return rows[0]?.position ?? null;
}

/**
 * What open streams have to carry: for each that is still its session's one the notifications after its position,
 * oldest first, and the position up to which there was nothing else.
 */
export async function readStreams(
  client: Database,
  streams: readonly OpenStream[],
  limit: number,
): Promise<StreamView[]> {
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
  const views = new Map<string, StreamView>();
  for (const { stream_id: streamId, newest, id, topic } of rows) {
    const view = views.get(streamId) ?? { streamId, newest, notifications: [] };
    if (id !== null && topic !== null) view.notifications.push({ id, topic });
    views.set(streamId, view);
  }
  return [...views.values()];
}

export async function touchStreams(client: Database, sessionIds: readonly string[], at: Date): Promise<void> {
  await client.mcpSession.updateMany({ where: { id: { in: [...sessionIds] } }, data: { lastSeenAt: at } });
}

/** Notes a request that a client is to answer. */
export async function insertQuestion(
  client: Database,
  question: { sessionId: string; requestId: string; createdAt: Date },
): Promise<void> {
  await client.mcpAnswer.create({ data: question, select: { requestId: true } });
}

/** Keeps a client's first answer to a request that waits for one. */
export async function writeAnswer(
  client: Database,
  { sessionId, requestId, message }: { sessionId: string; requestId: string; message: unknown },
): Promise<void> {
  await client.$executeRaw`
    UPDATE mcp_answers SET message = ${JSON.stringify(message)}::jsonb
    WHERE session_id = ${sessionId}::uuid AND request_id = ${requestId} AND message IS NULL`;
  await client.$executeRaw`SELECT pg_notify(${wakeChannel}, '')`;
}

/** Takes the answers that have come to requests, each once. */
export async function takeAnswers(
  client: Database,
  sessionId: string,
  requestIds: readonly string[],
): Promise<{ requestId: string; message: unknown }[]> {
  const rows = await client.$queryRaw<{ request_id: string; message: unknown }[]>`
    DELETE FROM mcp_answers WHERE session_id = ${sessionId}::uuid AND request_id = ANY(${[...requestIds]}) AND message IS NOT NULL
    RETURNING request_id, message`;
  return rows.map(({ request_id: requestId, message }) => ({ requestId, message }));
}

/** Deletes sessions not seen since a moment, some at a time; gives how many there were. */
export async function deleteIdleSessions(
  client: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  return client.$executeRaw`
    DELETE FROM mcp_sessions WHERE id IN (
      SELECT id FROM mcp_sessions WHERE last_seen_at < ${before} ORDER BY last_seen_at LIMIT ${limit})`;
}

/** Forgets requests that nobody waits for any more. */
export async function deleteQuestions(
  client: Database,
  sessionId: string,
  requestIds: readonly string[],
): Promise<void> {
  await client.mcpAnswer.deleteMany({ where: { sessionId, requestId: { in: [...requestIds] } } });
}
