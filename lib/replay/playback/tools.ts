import * as z from "zod";
import {
  cursorSchema,
  limitSchema,
  nextCursorSchema,
  readCursor,
  slugPosition,
  writeCursor,
} from "#lib/contract/cursor";
import { firstFitting, jsonLength, pageJsonText, shorten } from "#lib/contract/fit-json";
import { defineTool, maxResultLength, reads, withRecoveryHint } from "#lib/contract/tool";
import { AppError } from "#lib/platform/errors";
import {
  type CassetteSummary,
  cassetteIdSchema,
  describeUse,
  listedVerticalSchema,
  type MatchIndex,
  replayUrl,
  selectCassettes,
  unknownCassette,
  type Vertical,
  verticals,
} from "#lib/replay/cassettes/index";
import type { DropInContext } from "./choose-cassette";
import { pickRandomReplay } from "./discover-replay";
import { explainMatch } from "./explain-match";
import { eventPosition, pageEvents, readListedAnswer, readRawBody, readRecordedEvents } from "./read-recording";
import { matchAnswerSchema, matchRequestSchema } from "./schemas";

export type ReplayToolContext = DropInContext & { origin: string; site: { vertical: Vertical } };

const maxPageSize = 100;
const maxModelLength = 200;
/** Longest `usage`, in characters of JSON, that is returned unchanged; of a longer one only numbers are returned. */
const maxUsageLength = 1_000;
const maxUsageCount = 20;
/** Maximum length of a page of cassettes and of a page of text; the rest of the result is for its other fields. */
const maxListLength = maxResultLength - 1_000;
const maxContentLength = maxResultLength - 3_000;
/** Beside tool calls and errors, or recordings and their differences. */
const maxPromptLength = maxResultLength - 10_000;

const endSchema = z.enum(["complete", "truncated", "error"]).describe("How the response ends.");
const cassetteSchema = z.object({
  id: z.string(),
  title: z.string(),
  subtitle: z.string(),
  model: z.string(),
  provenance: z
    .enum(["recorded", "imported", "authored"])
    .describe("recorded from a model, imported from another capture, or authored by hand with synthetic timing."),
  protocol: z.string(),
  end: endSchema,
  turn: z.int(),
  turns: z.int(),
  tools: z.array(z.string()),
  request: z.object({ method: z.literal("POST"), path: z.string(), model: z.string().nullable() }),
  duration_ms: z.number(),
  chunk_count: z.int(),
  replay_url: z.string().describe("Streams the response over SSE with its timing."),
});

function describeEntry(index: MatchIndex, summary: CassetteSummary, origin: string) {
  const { id, title, subtitle, model, provenance, durationMs, chunkCount } = summary;
  const { request, ...use } = describeUse(index, summary);
  return {
    id,
    title,
    subtitle,
    model: shorten(model, maxModelLength),
    provenance: provenance.kind,
    ...use,
    request: { ...request, model: request.model && shorten(request.model, maxModelLength) },
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
  if (!summary) throw unknownCassette(await catalogue.ids(), id);
  return summary;
}

const idSchema = cassetteIdSchema.describe("<folder>/<slug>, as list_cassettes and search return it.");

export const listCassettesTool = defineTool({
  name: "list_cassettes",
  title: "List cassettes",
  description:
    'Lists the recorded or authored model responses that can be replayed, ordered by id, of one vertical or of all. To find one by its content, use search instead. Example: {"vertical": "legal"}',
  annotations: reads,
  input: z.strictObject({
    vertical: listedVerticalSchema.default("all").describe(`Only of ${verticals.join(", ")} or another folder.`),
    limit: limitSchema(maxPageSize),
    cursor: cursorSchema,
  }),
  output: z.object({
    count: z.int().describe("Cassettes on this page."),
    total: z.int().describe("Cassettes on all pages."),
    cassettes: z.array(cassetteSchema),
    next_cursor: nextCursorSchema,
  }),
  async run({ catalogue, origin, site }: ReplayToolContext, { vertical, limit, cursor }) {
    const scope = `list_cassettes ${vertical}`;
    const after = readCursor(cursor, { scope, form: slugPosition }) ?? "";
    const all = await selectCassettes({ catalogue, site }, { vertical });
    const rest = all.filter(({ id }) => id > after);
    const index = await catalogue.matchIndex();
    const described = rest.slice(0, limit).map((summary) => describeEntry(index, summary, origin));
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
    'Returns the details of a cassette and its prompt: provenance, duration, how it ends, token usage, and the request that plays it. With a request instead of an id: the cassette that this request gets at the drop-in endpoints, and the nearest ones with their differences. Use replay_cassette for the response itself. A long prompt is paged with next_cursor. Example: {"id": "legal/nda-review"}',
  annotations: reads,
  input: z
    .strictObject({
      id: idSchema.optional(),
      request: matchRequestSchema.optional().describe("A request to a drop-in endpoint, such as /v1/messages."),
      cursor: cursorSchema,
    })
    .refine(({ id, request }) => (id === undefined) !== (request === undefined), "pass either id or request"),
  output: cassetteSchema.extend({
    prompt: z.string().describe("The last user message, at most 50,000 characters."),
    usage: z
      .record(z.string(), z.unknown())
      .describe(
        "Token usage reported in the response. It is an estimate for authored cassettes; a replay spends no tokens.",
      ),
    match: matchAnswerSchema.shape.match.optional().describe("How the request was matched."),
    nearest: matchAnswerSchema.shape.nearest.optional(),
    next_cursor: nextCursorSchema,
  }),
  async run(context: ReplayToolContext, { id, request, cursor = null }) {
    const found = request && (await explainMatch(context, request));
    if (found?.error) {
      const nearest = found.nearest.map((each) => `\n${each.id}: ${each.differences.join("; ") || "the same request"}`);
      throw new AppError("not_found", found.error.message + nearest.join(""));
    }
    const summary = await findCassette(context, found?.cassette ?? id ?? "");
    const { text: prompt, nextCursor } = pageJsonText(summary.prompt, { cursor, maxLength: maxPromptLength });
    const details = describeEntry(await context.catalogue.matchIndex(), summary, context.origin);
    return {
      ...details,
      usage: boundUsage(summary.usage),
      prompt,
      ...(found && { match: found.match, nearest: found.nearest }),
      next_cursor: nextCursor,
    };
  },
});

export const replayCassetteTool = defineTool({
  name: "replay_cassette",
  title: "Replay a cassette",
  description:
    'Returns a recorded or authored response at once, without spending tokens: its text, tool calls, error and end, with "format": "events" the events of the stream with their times in milliseconds, or with "raw" its body as it was sent. Long results are paged with next_cursor. Use get_cassette for the prompt. To receive the stream with its timing, fetch replay_url instead. Example: {"id": "legal/nda-review", "format": "events"}',
  annotations: reads,
  input: z.strictObject({
    id: idSchema,
    format: z
      .enum(["text", "events", "raw"])
      .default("text")
      .describe(
        "text: what the response says and calls; events: each event of the stream; raw: the body with its line ends and comments.",
      ),
    cursor: cursorSchema,
  }),
  output: z.object({
    id: z.string(),
    replay_url: z.string(),
    tokens_spent: z.literal(0),
    end: endSchema,
    text: z.string().optional().describe("A page of the text; all pages joined are the whole text."),
    tool_calls: z.array(z.object({ name: z.string(), input: z.string() })).optional(),
    stop_reason: z.string().nullable().optional(),
    error: z.object({ status: z.int(), message: z.string() }).nullable().optional(),
    omitted: z.array(z.string()).optional().describe("What of the response is left out; the events have it."),
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
    raw: z.string().optional().describe("A page of the body; all pages joined are the whole body, read as UTF-8."),
    next_cursor: nextCursorSchema,
  }),
  async run(context: ReplayToolContext, { id, format, cursor }) {
    const summary = await findCassette(context, id);
    const replay_url = replayUrl(context.origin, id);
    const base = { id, replay_url, tokens_spent: 0 as const, end: summary.end };
    if (format === "text") {
      const { text: whole, ...answer } = await readListedAnswer(context, id);
      const page = pageJsonText(whole, { cursor: cursor ?? null, maxLength: maxPromptLength });
      return { ...base, text: page.text, ...answer, next_cursor: page.nextCursor };
    }
    if (format === "raw") {
      const whole = await readRawBody(context, id);
      const { text: raw, nextCursor } = pageJsonText(whole, { cursor: cursor ?? null, maxLength: maxContentLength });
      return { ...base, raw, next_cursor: nextCursor };
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
