import type * as z from "zod";

/** What a script's pace is where it does not say so, without the time to its first token. */
export const usualPace = {
  tokens_per_burst: [1, 4],
  gap_ms: [20, 80],
  joined_share: 0.08,
  thinking_pause_every: 14,
  thinking_pause_ms: [250, 900],
  block_pause_ms: [120, 450],
} satisfies Record<string, number | [number, number]>;

/** A script cannot be built; the message names the cassette and the field. */
export class ScriptError extends Error {
  override readonly name = "ScriptError";

  constructor(id: string, field: string, reason: string, options?: ErrorOptions) {
    super(`${id}: ${field === "" ? "the script" : field}: ${reason}`, options);
  }
}

/** What is wrong with a field of a script. */
export type Problem = readonly [field: string, reason: string];

export function problemsOf({ issues }: z.ZodError, ...place: readonly string[]): Problem[] {
  return issues.map(({ path, message }) => [[...place, ...path].join("."), message]);
}

/** Throws ScriptError with all problems, one a line, if there are any. */
export function throwProblems(id: string, [first, ...others]: readonly Problem[]): void {
  if (!first) return;
  const [field, reason] = first;
  const lines = others.map((problem) => new ScriptError(id, ...problem).message);
  throw new ScriptError(id, field, [reason, ...lines].join("\n"));
}
