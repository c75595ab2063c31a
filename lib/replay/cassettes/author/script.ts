import { createHash } from "node:crypto";
import { parse } from "yaml";
import * as z from "zod";
import { providerNames } from "#lib/replay/providers/index";
import { cassetteIdSchema } from "../schemas";
import { problemsOf, ScriptError, throwProblems, usualPace } from "./script-basics";

/** Longest pause in a script: one minute, in milliseconds. */
const maxPauseMs = 60_000;
const maxBlockCount = 200;
/** Suffix of every authored cassette's subtitle, so that each listing shows that it is authored. */
const authoredMark = " (authored)";

const pauseMsSchema = z.number().min(0).max(maxPauseMs);

function rangeSchema(value: z.ZodNumber) {
  return z
    .tuple([value, value], { error: "must be two numbers, [minimum, maximum]" })
    .refine(([minimum, maximum]) => minimum <= maximum, { message: "must have its minimum first" });
}

/** The speed of the stream. Times are in milliseconds; ranges are [minimum, maximum]. */
const paceSchema = z.strictObject({
  first_token_ms: z.number().min(50).max(10_000).default(720),
  tokens_per_burst: rangeSchema(z.int().min(1).max(40)).default(usualPace.tokens_per_burst),
  gap_ms: rangeSchema(pauseMsSchema).default(usualPace.gap_ms),
  /** Share of the deltas that arrive in the same chunk as the previous one. */
  joined_share: z.number().min(0).max(0.9).default(usualPace.joined_share),
  /** Average number of bursts between two pauses of a thinking block. */
  thinking_pause_every: z.int().min(1).max(1000).default(usualPace.thinking_pause_every),
  thinking_pause_ms: rangeSchema(pauseMsSchema).default(usualPace.thinking_pause_ms),
  block_pause_ms: rangeSchema(pauseMsSchema).default(usualPace.block_pause_ms),
});
export type Pace = z.infer<typeof paceSchema>;

const citationSchema = z.discriminatedUnion(
  "type",
  [
    /** The character range is computed: `cited_text` must occur exactly once in that document of the request. */
    z.strictObject({ type: z.literal("char_location"), document_index: z.int().min(0), cited_text: z.string().min(1) }),
    /** The end page is exclusive, as on the wire. */
    z.strictObject({
      type: z.literal("page_location"),
      document_index: z.int().min(0),
      start_page_number: z.int().min(1),
      end_page_number: z.int().min(2),
      cited_text: z.string().min(1),
    }),
    /** `url` must be among the search results before the block. */
    z.strictObject({
      type: z.literal("web_search_result_location"),
      url: z.url(),
      cited_text: z.string().min(1).max(150),
    }),
  ],
  { error: "must have a type of char_location, page_location or web_search_result_location" },
);
export type ScriptCitation = z.infer<typeof citationSchema>;

const pause_ms = pauseMsSchema.optional();
const toolIdSchema = z.string().regex(/^(toolu|call)_\w+$/, "must start with toolu_ or call_");
const jsonObjectSchema = z.record(z.string(), z.unknown());

const blockSchema = z.discriminatedUnion(
  "type",
  [
    z.strictObject({
      type: z.literal("text"),
      text: z.string().min(1),
      citations: z.array(citationSchema).min(1).optional(),
      pause_ms,
    }),
    z.strictObject({ type: z.literal("thinking"), thinking: z.string().min(1), pause_ms }),
    z.strictObject({ type: z.literal("refusal"), refusal: z.string().min(1), pause_ms }),
    z.strictObject({
      type: z.literal("tool_use"),
      name: z.string().min(1).max(128),
      input: jsonObjectSchema,
      id: toolIdSchema.optional(),
      pause_ms,
    }),
    z.strictObject({
      type: z.literal("server_tool_use"),
      name: z.enum(["web_search", "web_fetch"]),
      input: jsonObjectSchema,
      pause_ms,
    }),
    z.strictObject({
      type: z.literal("web_search_tool_result"),
      results: z
        .array(
          z.strictObject({ title: z.string().min(1), url: z.url(), page_age: z.string().nullable().default(null) }),
        )
        .min(1),
      pause_ms,
    }),
  ],
  { error: "must have a type of text, thinking, refusal, tool_use, server_tool_use or web_search_tool_result" },
);
export type ScriptBlock = z.infer<typeof blockSchema>;

const stopReasonSchema = z.enum(["end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal"]);
export type StopReason = z.infer<typeof stopReasonSchema>;

const endingSchema = z
  .strictObject({
    stop_reason: stopReasonSchema.optional(),
    stop_sequence: z.string().min(1).optional(),
    stop_details: z
      .strictObject({
        category: z.enum(["cyber", "bio", "frontier_llm", "reasoning_extraction", "general_harms"]).nullable(),
        explanation: z.string().min(1).nullable(),
      })
      .optional(),
    error: z.strictObject({ type: z.string().min(1), message: z.string().min(1) }).optional(),
  })
  .refine((ending) => (ending.stop_reason === undefined) !== (ending.error === undefined), {
    message: "must have either a stop_reason or an error",
  })
  .refine((ending) => (ending.stop_sequence !== undefined) === (ending.stop_reason === "stop_sequence"), {
    message: "must have a stop_sequence if and only if the stop_reason is stop_sequence",
  });

const requestSchema = jsonObjectSchema.refine((body) => body.model === undefined, {
  path: ["model"],
  message: "must be absent: the builder writes it, because no model produced an authored cassette",
});

/** The YAML script from which an authored cassette is built. */
export const scriptSchema = z.strictObject({
  title: z.string().min(1).max(200),
  subtitle: z
    .string()
    .max(300)
    .refine((text) => text.endsWith(authoredMark), { message: `must end with "${authoredMark}"` })
    .default(authoredMark.trim()),
  seed: z.int().min(0).max(0xffff_ffff),
  authored_at: z.iso.datetime(),
  provider: z.enum(providerNames).default("anthropic"),
  /** Cassette of the turn before, whose script is in the same store. */
  continues: cassetteIdSchema.optional(),
  /** What the tools that the turn before called returned, in the order of the calls. */
  results: z.array(z.union([z.string(), jsonObjectSchema])).optional(),
  pace: paceSchema.prefault({}),
  /** Whether chunks are split at arbitrary bytes, also inside multi-byte characters. */
  split_bytes: z.boolean().default(false),
  /** Whether the events take turns in the forms that the standard of server-sent events allows. */
  sse_forms: z.boolean().default(false),
  /** Body of the request. A later turn takes it from the turn before, and names only what it changes or adds. */
  request: requestSchema.default({}),
  blocks: z.array(blockSchema).min(1).max(maxBlockCount),
  ending: endingSchema,
});
export type Script = z.infer<typeof scriptSchema>;

function parseYaml(text: string, id: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw new ScriptError(id, "", `is not valid YAML: ${(cause as Error).message}`, { cause });
  }
}

/** Parses a script; without a seed, that of its id. Throws ScriptError. */
export function parseScript(text: string, id: string): Script {
  const script = parseYaml(text, id);
  const seed = createHash("sha256").update(id).digest().readUInt32BE();
  const isObject = script !== null && typeof script === "object" && !Array.isArray(script);
  const result = scriptSchema.safeParse(isObject ? { seed, ...script } : script);
  if (!result.success) throwProblems(id, problemsOf(result.error));
  return result.data as Script;
}
