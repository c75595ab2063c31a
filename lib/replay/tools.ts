import { z } from "zod";
import {
  type CassetteSummary,
  type Catalogue,
  cassetteIdSchema,
  readEvents,
  replayUrl,
  type Vertical,
  verticalSchema,
} from "#lib/cassettes/index";
import { defineTool } from "#lib/mcp/tool";
import { AppError } from "#lib/platform/errors";
import { pickRandomReplay } from "./discover-replay";

export type ReplayToolContext = { catalogue: Catalogue; origin: string; site: { vertical: Vertical } };

/** Longest text and most events that a tool result carries. */
const maxTextLength = 20_000;
const maxEventCount = 100;

const cassetteSchema = z.object({
  id: z.string(),
  title: z.string(),
  subtitle: z.string(),
  model: z.string(),
  provenance: z.enum(["recorded", "imported", "authored"]),
  duration_ms: z.number(),
  chunk_count: z.int(),
  replay_url: z.string(),
});

function describe({ id, title, subtitle, model, provenance, durationMs, chunkCount }: CassetteSummary, origin: string) {
  return {
    id,
    title,
    subtitle,
    model,
    provenance: provenance.kind,
    duration_ms: durationMs,
    chunk_count: chunkCount,
    replay_url: replayUrl(origin, id),
  };
}

async function find({ catalogue }: ReplayToolContext, id: string): Promise<CassetteSummary> {
  const summary = await catalogue.find(id);
  if (!summary) throw new AppError("not_found", `There is no cassette ${id}. Call list_cassettes for the ids.`);
  return summary;
}

const idInput = z.object({ id: cassetteIdSchema });

const listCassettesTool = defineTool({
  name: "list_cassettes",
  title: "List cassettes",
  description:
    'Lists the recorded model responses that can be replayed, with their ids. Use it first, to find an id. Example: {"vertical": "legal"}. Without a vertical, all of them.',
  input: z.object({ vertical: verticalSchema.optional() }),
  output: z.object({ count: z.int(), cassettes: z.array(cassetteSchema) }),
  async run({ catalogue, origin }: ReplayToolContext, { vertical }) {
    const all = (await catalogue.list()).filter((summary) => !vertical || summary.vertical === vertical);
    return { count: all.length, cassettes: all.map((summary) => describe(summary, origin)) };
  },
});

const getCassetteTool = defineTool({
  name: "get_cassette",
  title: "Get a cassette",
  description:
    'Gives one cassette\'s facts and its prompt: where it comes from, how long it lasts, how it ends. Use replay_cassette for the answer itself. Example: {"id": "legal/nda-review"}.',
  input: idInput,
  output: cassetteSchema.extend({ prompt: z.string(), end: z.string(), usage: z.record(z.string(), z.unknown()) }),
  async run(context: ReplayToolContext, { id }) {
    const summary = await find(context, id);
    const prompt = summary.prompt.slice(0, maxTextLength);
    return { ...describe(summary, context.origin), prompt, end: summary.end, usage: summary.usage };
  },
});

const replayCassetteTool = defineTool({
  name: "replay_cassette",
  title: "Replay a cassette",
  description: `Gives the recorded answer: the whole text, or with "format": "events" the stream's events with their times in milliseconds, up to ${maxEventCount} from "from" on. Spends no tokens. Example: {"id": "legal/nda-review"}. To stream it with its timing, fetch replay_url.`,
  input: idInput.extend({ format: z.enum(["text", "events"]).default("text"), from: z.int().min(0).default(0) }),
  output: z.object({
    id: z.string(),
    replay_url: z.string(),
    tokens_spent: z.literal(0),
    text: z.string().optional(),
    events: z.array(z.object({ at_ms: z.number(), event: z.string(), data: z.string() })).optional(),
    next_from: z.int().nullable().optional(),
  }),
  async run(context: ReplayToolContext, { id, format, from }) {
    const summary = await find(context, id);
    const base = { id, replay_url: replayUrl(context.origin, id), tokens_spent: 0 as const };
    if (format === "text") return { ...base, text: summary.text.slice(0, maxTextLength) };
    const recording = await context.catalogue.recording(id);
    const chunks = recording?.chunks.map((bytes, index) => {
      const before = index > 0 ? (recording.dueMs[index - 1] as number) : 0;
      return { bytes, deltaMs: (recording.dueMs[index] as number) - before };
    });
    const all = readEvents(chunks ?? []);
    const events = all
      .slice(from, from + maxEventCount)
      .map(({ atMs, event, data }) => ({ at_ms: Math.round(atMs * 1000) / 1000, event, data }));
    const next = from + events.length;
    return { ...base, events, next_from: next < all.length ? next : null };
  },
});

const randomReplayTool = defineTool({
  name: "random_replay",
  title: "Pick a random replay",
  description:
    "Gives the replay address of a cassette of this site, chosen at random. Use it for a quick demonstration.",
  input: z.object({}),
  output: z.object({ replay_url: z.string() }),
  async run(context: ReplayToolContext) {
    return { replay_url: await pickRandomReplay(context) };
  },
});

export const replayTools = [listCassettesTool, getCassetteTool, replayCassetteTool, randomReplayTool];
