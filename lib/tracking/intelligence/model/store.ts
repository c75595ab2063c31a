import type { Database } from "#lib/platform/database/index";
import { type AskedAnswer, type EndedAnswer, type StoredAnswer, storedAnswerSchema } from "./answer-schema";

/** Identifies a question. */
export type QuestionKey = { diffId: string; promptVersion: string; model: string };

/** Returns the stored state of a question; null if it was never asked or the stored state is no longer readable. */
export async function findAnswer(client: Database, key: QuestionKey): Promise<StoredAnswer | null> {
  const row = await client.modelAnswer.findUnique({ where: { diffId_promptVersion_model: key } });
  return storedAnswerSchema.safeParse(row?.answer).data ?? null;
}

/**
 * Claims a question exclusively; false if it is answered or pending. A question whose time has passed can be claimed
 * again, and with `isUrgent` also one in a batch.
 */
export async function claimQuestion(
  client: Database,
  { diffId, promptVersion, model }: QuestionKey,
  asked: AskedAnswer,
  { now, isUrgent = false }: { now: Date; isUrgent?: boolean },
): Promise<boolean> {
  const count = await client.$executeRaw`
    INSERT INTO model_answers AS kept (diff_id, prompt_version, model, answer, created_at)
    SELECT id, ${promptVersion}, ${model}, ${JSON.stringify(asked)}::jsonb, ${now} FROM diffs WHERE id = ${diffId}::uuid
    ON CONFLICT (diff_id, prompt_version, model) DO UPDATE
    SET answer = excluded.answer, created_at = excluded.created_at
    WHERE kept.answer->>'state' = 'unanswered' OR (kept.answer->>'state' = 'asked' AND (
      (kept.answer->>'until')::timestamptz <= ${now} OR (${isUrgent} AND (kept.answer->>'inBatch')::boolean)))`;
  return count === 1;
}

/** Stores the final state of the attempt with a boundary; false if the attempt lost the question or ended before. */
export async function endQuestion(
  client: Database,
  { diffId, promptVersion, model }: QuestionKey,
  boundary: string,
  ended: EndedAnswer,
): Promise<boolean> {
  const count = await client.$executeRaw`
    UPDATE model_answers SET answer = ${JSON.stringify(ended)}::jsonb
    WHERE diff_id = ${diffId}::uuid AND prompt_version = ${promptVersion} AND model = ${model}
      AND answer->>'state' = 'asked' AND answer->>'boundary' = ${boundary}`;
  return count === 1;
}

/** Returns the pending questions about some changes, by the id of the change. */
export async function findAsked(
  client: Database,
  { diffIds, promptVersion, model }: { diffIds: string[]; promptVersion: string; model: string },
): Promise<Map<string, AskedAnswer>> {
  const rows = await client.modelAnswer.findMany({ where: { diffId: { in: diffIds }, promptVersion, model } });
  const asked = new Map<string, AskedAnswer>();
  for (const { diffId, answer } of rows) {
    const { data } = storedAnswerSchema.safeParse(answer);
    if (data?.state === "asked") asked.set(diffId, data);
  }
  return asked;
}

/** Reserves tokens of a UTC day; false if that would exceed the limit. */
export async function reserveTokens(client: Database, day: Date, tokens: number, limit: number): Promise<boolean> {
  if (tokens > limit) return false;
  const count = await client.$executeRaw`
    INSERT INTO model_usages AS used (day, tokens) VALUES (${day}::date, ${tokens})
    ON CONFLICT (day) DO UPDATE SET tokens = used.tokens + excluded.tokens
    WHERE used.tokens + excluded.tokens <= ${limit}`;
  return count === 1;
}

/** Adds a positive or negative number to the tokens of a day. */
export async function correctTokens(client: Database, day: Date, tokens: number): Promise<void> {
  await client.$executeRaw`
    UPDATE model_usages SET tokens = greatest(0, tokens + ${tokens}) WHERE day = ${day}::date`;
}

/** Returns changes without a report or question that may be shown to a model, oldest first. */
export async function findUnasked(
  client: Database,
  { promptVersion, model }: { promptVersion: string; model: string },
  { belowScore, limit }: { belowScore: number; limit: number },
): Promise<{ id: string; vendorId: string; currentSnapshotId: string }[]> {
  return client.diff.findMany({
    where: {
      analysedAt: null,
      currentSnapshot: { securityScore: { lt: belowScore } },
      previousSnapshot: { securityScore: { lt: belowScore } },
      modelAnswers: { none: { promptVersion, model } },
    },
    select: { id: true, vendorId: true, currentSnapshotId: true },
    orderBy: { id: "asc" },
    take: limit,
  });
}

export type OpenBatch = { id: string; providerId: string; model: string; diffIds: string[]; createdAt: Date };

/** Returns batches whose results were not collected yet, oldest first. */
export async function findOpenBatches(client: Database, limit: number): Promise<OpenBatch[]> {
  return client.modelBatch.findMany({ where: { endedAt: null }, orderBy: { id: "asc" }, take: limit });
}

/** Stores a submitted batch with its questions in one transaction. */
export async function insertBatch(
  client: Database,
  batch: OpenBatch,
  { promptVersion, asked }: { promptVersion: string; asked: ReadonlyMap<string, AskedAnswer> },
): Promise<void> {
  const { model, createdAt } = batch;
  const data = [...asked].map(([diffId, answer]) => ({ diffId, promptVersion, model, answer, createdAt }));
  await client.$transaction([
    client.modelBatch.create({ data: batch }),
    client.modelAnswer.createMany({ data, skipDuplicates: true }),
  ]);
}

export async function endBatch(client: Database, id: string, at: Date): Promise<void> {
  await client.modelBatch.updateMany({ where: { id, endedAt: null }, data: { endedAt: at } });
}

/** Deletes batches that ended before a time. */
export async function deleteEndedBatches(client: Database, before: Date): Promise<void> {
  await client.modelBatch.deleteMany({ where: { endedAt: { lt: before } } });
}
