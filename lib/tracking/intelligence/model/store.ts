import type { Database } from "#lib/platform/database/index";
import { type AskedAnswer, type EndedAnswer, type StoredAnswer, storedAnswerSchema } from "./answer-schema";

export type QuestionKey = { diffId: string; promptVersion: string; model: string };

export async function findAnswer(client: Database, key: QuestionKey): Promise<StoredAnswer | null> {
  const row = await client.modelAnswer.findUnique({ where: { diffId_promptVersion_model: key } });
  return storedAnswerSchema.safeParse(row?.answer).data ?? null;
}

/** Claims a question exclusively; false if it is answered or pending. It can be claimed again when its time has passed. */
export async function claimQuestion(
  client: Database,
  { diffId, promptVersion, model }: QuestionKey,
  asked: AskedAnswer,
  now: Date,
): Promise<boolean> {
  const count = await client.$executeRaw`
    INSERT INTO model_answers AS kept (diff_id, prompt_version, model, answer, created_at)
    SELECT id, ${promptVersion}, ${model}, ${JSON.stringify(asked)}::jsonb, ${now} FROM diffs WHERE id = ${diffId}::uuid
    ON CONFLICT (diff_id, prompt_version, model) DO UPDATE
    SET answer = excluded.answer, created_at = excluded.created_at
    WHERE kept.answer->>'state' = 'unanswered'
      OR (kept.answer->>'state' = 'asked' AND (kept.answer->>'until')::timestamptz <= ${now})`;
  return count === 1;
}

/** Stores the final state of the attempt with a boundary, unless the attempt lost the question or ended before. */
export async function endQuestion(
  client: Database,
  { diffId, promptVersion, model }: QuestionKey,
  boundary: string,
  ended: EndedAnswer,
): Promise<void> {
  await client.$executeRaw`
    UPDATE model_answers SET answer = ${JSON.stringify(ended)}::jsonb
    WHERE diff_id = ${diffId}::uuid AND prompt_version = ${promptVersion} AND model = ${model}
      AND answer->>'state' = 'asked' AND answer->>'boundary' = ${boundary}`;
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

export async function correctTokens(client: Database, day: Date, tokens: number): Promise<void> {
  await client.$executeRaw`
    UPDATE model_usages SET tokens = greatest(0, tokens + ${tokens}) WHERE day = ${day}::date`;
}
