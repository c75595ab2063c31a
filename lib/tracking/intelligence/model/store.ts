import type { Database } from "#lib/platform/database/index";
import { type AskedAnswer, type EndedAnswer, type StoredAnswer, storedAnswerSchema } from "./answer-schema";

/** The question that an answer is to. */
export type QuestionKey = { diffId: string; promptVersion: string; model: string };

/** What is kept of a question; null where it was never asked, or what is kept cannot be read any more. */
export async function findAnswer(client: Database, key: QuestionKey): Promise<StoredAnswer | null> {
  const row = await client.modelAnswer.findUnique({ where: { diffId_promptVersion_model: key } });
  return storedAnswerSchema.safeParse(row?.answer).data ?? null;
}

/**
 * Takes a question, so that nobody else asks it; false where it is answered, or on its way. One whose time has passed
 * can be taken over, and with `isUrgent` one that is in a batch.
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

/** Writes down how the attempt of a boundary ended; false where it had lost the question, or had ended before. */
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

/** Questions about some changes that are on their way, by the id of the change. */
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

/** Sets tokens of a UTC day aside; false where they would be more than the day has. */
export async function reserveTokens(client: Database, day: Date, tokens: number, limit: number): Promise<boolean> {
  if (tokens > limit) return false;
  const count = await client.$executeRaw`
    INSERT INTO model_usages AS used (day, tokens) VALUES (${day}::date, ${tokens})
    ON CONFLICT (day) DO UPDATE SET tokens = used.tokens + excluded.tokens
    WHERE used.tokens + excluded.tokens <= ${limit}`;
  return count === 1;
}

/** Adds to the tokens of a day, or takes away what was set aside too much. */
export async function correctTokens(client: Database, day: Date, tokens: number): Promise<void> {
  await client.$executeRaw`
    UPDATE model_usages SET tokens = greatest(0, tokens + ${tokens}) WHERE day = ${day}::date`;
}

/** Changes without a report that were never asked about and may be shown to a model, the oldest first. */
export async function findUnasked(
  client: Database,
  { promptVersion, model }: { promptVersion: string; model: string },
  { belowScore, limit }: { belowScore: number; limit: number },
): Promise<{ id: string; vendorId: string; currentSnapshotId: string }[]> {
  return client.diff.findMany({
    where: {
      analysedAt: null,
      currentSnapshot: { securityScore: { lt: belowScore } },
      modelAnswers: { none: { promptVersion, model } },
    },
    select: { id: true, vendorId: true, currentSnapshotId: true },
    orderBy: { id: "asc" },
    take: limit,
  });
}

export type OpenBatch = { id: string; providerId: string; model: string; diffIds: string[]; createdAt: Date };

/** Batches whose answers were not taken in yet, the oldest first. */
export async function findOpenBatches(client: Database, limit: number): Promise<OpenBatch[]> {
  return client.modelBatch.findMany({ where: { endedAt: null }, orderBy: { id: "asc" }, take: limit });
}

/** Writes down a batch that was handed in, and what it asks: both or neither. */
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

/** Deletes batches that ended before a moment. */
export async function deleteEndedBatches(client: Database, before: Date): Promise<void> {
  await client.modelBatch.deleteMany({ where: { endedAt: { lt: before } } });
}
