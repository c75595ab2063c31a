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
