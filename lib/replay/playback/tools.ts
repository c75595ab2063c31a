import * as z from "zod";
import { cursorSchema, nextCursorSchema, readCursor, slugPosition, writeCursor } from "#lib/contract/cursor";
import { firstFitting, jsonLength, pageJsonText, shorten } from "#lib/contract/fit-json";
import { defineTool, maxResultLength, reads, withRecoveryHint } from "#lib/contract/tool";
import { AppError } from "#lib/platform/errors";
import {
  type CassetteSummary,
  type Catalogue,
  cassetteIdSchema,
  replayUrl,
  type Vertical,
  verticalSchema,
} from "#lib/replay/cassettes/index";
import { pickRandomReplay } from "./discover-replay";
import { eventPosition, pageEvents, readRecordedEvents, readWholeText } from "./read-recording";

export type ReplayToolContext = { catalogue: Catalogue; origin: string; site: { vertical: Vertical } };

/** Most cassettes on a page. */
const maxPageSize = 100;
const maxModelLength = 200;
/** Longest `usage`, in characters of JSON, that is returned unchanged; of a longer one only numbers are returned. */
const maxUsageLength = 1_000;
const maxUsageCount = 20;
/** Maximum length of a page of cassettes and of a page of text; the rest of the result is for its other fields. */
const maxListLength = maxResultLength - 1_000;
const maxContentLength = maxResultLength - 3_000;

const cassetteSchema = z.object({
  id: z.string(),
  title: z.string(),
  subtitle: z.string(),
  model: z.string(),
  provenance: z
    .enum(["recorded", "imported", "authored"])
    .describe("recorded from a model, imported from another capture, or authored by hand with synthetic timing."),
  duration_ms: z.number(),
  chunk_count: z.int(),
  replay_url: z.string().describe("Streams the response over SSE with its timing."),
});
const endSchema = z.enum(["complete", "truncated", "error"]).describe("How the response ends.");

function describeEntry(
  { id, title, subtitle, model, provenance, durationMs, chunkCount }: CassetteSummary,
  origin: string,
) {
  return {
    id,
    title,
    subtitle,
    model: shorten(model, maxModelLength),
    provenance: provenance.kind,
    duration_ms: Math.round(durationMs),
    chunk_count: chunkCount,
    replay_url: replayUrl(origin, id),
  };
}

function boundUsage(usage: Record<string, unknown>): Record<string, unknown> {
  if (jsonLength(usage) <= maxUsageLength) return usage;
  const numbers = Object.entries(usage).filter(([name, value]) => typeof value === "number" && name.length <= 50);
  return Object.fromEntries(numbers.slice(0, maxUsageCount));
}

async function findCassette({ catalogue }: ReplayToolContext, id: string): Promise<CassetteSummary> {
  const summary = await catalogue.find(id);
  if (!summary) throw new AppError("not_found", `There is no cassette ${id}. Call list_cassettes for the ids.`);
  return summary;
}

const idSchema = cassetteIdSchema.describe("<folder>/<slug>, as list_cassettes and search return it.");

export const listCassettesTool = defineTool({
  name: "list_cassettes",
  title: "List cassettes",
  description:
    'Lists the recorded or authored model responses that can be replayed, ordered by id, of one vertical or of all. Use it first to get an id. To find a cassette by its content, use search instead. Example: {"vertical": "legal"}',
  annotations: reads,
  input: z.strictObject({
    vertical: verticalSchema.optional().describe("Only cassettes of this vertical. Default: all."),
    cursor: cursorSchema,
  }),
  output: z.object({
    count: z.int().describe("Cassettes on this page."),
    total: z.int().describe("Cassettes on all pages."),
    cassettes: z.array(cassetteSchema),
    next_cursor: nextCursorSchema,
  }),
  async run({ catalogue, origin }: ReplayToolContext, { vertical, cursor }) {
    const scope = `list_cassettes ${vertical}`;
    const after = readCursor(cursor, { scope, form: slugPosition }) ?? "";
    const all = (await catalogue.list()).filter((summary) => !vertical || summary.vertical === vertical);
    const rest = all.filter(({ id }) => id > after);
    const described = rest.slice(0, maxPageSize).map((summary) => describeEntry(summary, origin));
    const cassettes = firstFitting(described, maxListLength);
    const last = cassettes.length < rest.length ? cassettes.at(-1) : undefined;
    const next_cursor = last ? writeCursor(scope, last.id) : null;
    return { count: cassettes.length, total: all.length, cassettes, next_cursor };
  },
});

export const getCassetteTool = defineTool({
  name: "get_cassette",
  title: "Get a cassette",
  description:
    'Returns the details of a cassette and its prompt: provenance, duration, how it ends, and token usage. Use replay_cassette for the response itself. A long prompt is paged with next_cursor. Example: {"id": "legal/nda-review"}',
  annotations: reads,
  input: z.strictObject({ id: idSchema, cursor: cursorSchema }),
  output: cassetteSchema.extend({
    prompt: z.string().describe("The last user message, at most 50,000 characters."),
    end: endSchema,
    usage: z
      .record(z.string(), z.unknown())
      .describe(
        "Token usage reported in the response. It is an estimate for authored cassettes; a replay spends no tokens.",
      ),
    next_cursor: nextCursorSchema,
  }),
  async run(context: ReplayToolContext, { id, cursor = null }) {
    const summary = await findCassette(context, id);
    const { text: prompt, nextCursor } = pageJsonText(summary.prompt, { cursor, maxLength: maxContentLength });
    const details = { ...describeEntry(summary, context.origin), end: summary.end, usage: boundUsage(summary.usage) };
    return { ...details, prompt, next_cursor: nextCursor };
  },
});

export const replayCassetteTool = defineTool({
  name: "replay_cassette",
  title: "Replay a cassette",
  description:
    'Returns a recorded or authored response at once, without spending tokens: its text, or with "format": "events" the events of the stream with their times in milliseconds. Long results are paged with next_cursor. Use get_cassette for the prompt. To receive the stream with its timing, fetch replay_url instead. Example: {"id": "legal/nda-review", "format": "events"}',
  annotations: reads,
  input: z.strictObject({
    id: idSchema,
    format: z
      .enum(["text", "events"])
      .default("text")
      .describe("text: the text of the response; events: each server-sent event."),
    cursor: cursorSchema,
  }),
  output: z.object({
    id: z.string(),
    replay_url: z.string(),
    tokens_spent: z.literal(0),
    end: endSchema,
    text: z.string().optional().describe("A page of the text; all pages joined are the whole text."),
    events: z
      .array(
        z.object({
          at_ms: z.number().describe("Milliseconds from the request to the event."),
          event: z.string(),
          data: z.string(),
          data_continues: z
            .literal(true)
            .optional()
            .describe("True if the data continues in the next page's first event."),
        }),
      )
      .optional(),
    next_cursor: nextCursorSchema,
  }),
  async run(context: ReplayToolContext, { id, format, cursor }) {
    const summary = await findCassette(context, id);
    const replay_url = replayUrl(context.origin, id);
    const base = { id, replay_url, tokens_spent: 0 as const, end: summary.end };
    if (format === "text") {
      const whole = summary.text.length > maxContentLength ? await readWholeText(context, id) : summary.text;
      const page = pageJsonText(whole, { cursor: cursor ?? null, maxLength: maxContentLength });
      return { ...base, text: page.text, next_cursor: page.nextCursor };
    }
    const scope = `replay_cassette ${id} ${summary.chunkCount} ${summary.byteSize}`;
    const position = readCursor(cursor, { scope, form: eventPosition });
    const { events, next } = pageEvents(await readRecordedEvents(context, id), {
      position,
      maxLength: maxContentLength,
    });
    return { ...base, events, next_cursor: next === null ? null : writeCursor(scope, next) };
  },
});

export const randomReplayTool = defineTool({
  name: "random_replay",
  title: "Pick a random replay",
  description:
    "Returns the replay URL of one of this site's cassettes, chosen at random. Use it for a quick demonstration. To choose by subject, use list_cassettes or search. Example: {}",
  annotations: reads,
  input: z.strictObject({}),
  output: z.object({ replay_url: z.string() }),
  async run(context: ReplayToolContext) {
    const not_found = "This site has no cassettes. Call list_cassettes for those of all verticals.";
    return { replay_url: await withRecoveryHint(pickRandomReplay(context), { not_found }) };
  },
});

export const replayTools = [listCassettesTool, getCassetteTool, replayCassetteTool, randomReplayTool];
