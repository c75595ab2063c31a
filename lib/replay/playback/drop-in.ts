import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { AppError } from "#lib/platform/errors";
import { processSingleton } from "#lib/platform/process-singleton";
import { hourMs } from "#lib/platform/time";
import {
  keepHeaders,
  parseSequence,
  type Recording,
  sequencesFile,
  unknownCassette,
} from "#lib/replay/cassettes/index";
import {
  framingOf,
  type Operation,
  type Provider,
  providerRequestId,
  requireProvider,
} from "#lib/replay/providers/index";
import { openAnswer } from "./answer-form";
import { type Choice, chooseCassette, type DropInContext, type Named } from "./choose-cassette";
import { applyFaults, openError, parseFaults, statusOfError, withDefaults } from "./faults";
import { omitUsage } from "./omit-usage";
import { type Replay, requireRecording } from "./open-replay";
import { type DropInRequest, type RequestSource, readRequest } from "./read-request";
import { speedSchema } from "./speed";

/** Most counts kept in memory; the least recently used are forgotten first. */
const maxTestCount = 10_000;
/** How long a count is kept after its last request, in milliseconds. */
const testCountAgeMs = hourMs;
/** Longest name of a test, in characters. */
const maxTestNameLength = 200;

const counts = () =>
  processSingleton(
    "replay-test-counts",
    () => new LRUCache<string, number>({ max: maxTestCount, ttl: testCountAgeMs }),
  );

/** Counts a request of a test, and returns its number: 0 for the first. The counts live in this process. */
export function countInTest(test: string, subject: string): number {
  // A name and a sequence can have thousands of characters; their hash bounds the memory of all counts.
  const key = createHash("sha256")
    .update(JSON.stringify([test, subject]))
    .digest("base64");
  const number = counts().get(key) ?? 0;
  counts().set(key, number + 1);
  return number;
}

/** Start of the model or API key that names a cassette: `cassette:<id>`. */
export const cassettePrefix = "cassette:";

type Header = (name: string) => string | null;
/** A request to a drop-in endpoint. */
export type DropInInput = {
  source: RequestSource;
  /** From the query; the header `x-replay-speed` replaces it. */
  speed?: number;
  header: Header;
  requestId: string;
};
type ReadInput = DropInInput & { provider: Provider; request: DropInRequest };

async function readInput({ catalogue }: DropInContext, input: DropInInput): Promise<ReadInput> {
  const hasRedactions = async () => (await catalogue.matchIndex()).hasRedactions;
  const request = await readRequest(input.source, hasRedactions);
  return { ...input, provider: requireProvider(input.source.provider), request };
}

function afterPrefix(text: string | null | undefined): string | undefined {
  return text?.startsWith(cassettePrefix) ? text.slice(cassettePrefix.length) : undefined;
}

/** Returns the cassette that a client names: as the model, in a header, or as its API key where it can set nothing else. */
export function findNamed({ request, header }: Pick<ReadInput, "request" | "header">): Named | null {
  const model = afterPrefix(request.key.model);
  if (model !== undefined) return { id: model, place: "model" };
  const named = header("x-replay-cassette");
  if (named) return { id: named, place: "x-replay-cassette" };
  const bearer = header("authorization")?.replace(/^bearer +/i, "");
  const query = new URLSearchParams(request.query).get("key");
  const [id] = [bearer, header("x-api-key"), header("api-key"), header("x-goog-api-key"), query].flatMap(
    (key) => afterPrefix(key) ?? [],
  );
  return id === undefined ? null : { id, place: "API key" };
}

function speedOf({ speed = 1, header }: DropInInput): number {
  const text = header("x-replay-speed");
  if (text === null) return speed;
  const result = speedSchema.safeParse(text);
  if (result.success) return result.data;
  throw new AppError("bad_request", `The header x-replay-speed ${result.error.issues[0]?.message}.`);
}

/** Returns the recorded headers that the provider's clients read and the replay does not set, and the request's id. */
function providerHeaders(
  { headers, provider }: Recording,
  { replay, requestId }: { replay: Replay; requestId: string },
): Record<string, string> {
  const ownNames = new Set(Object.keys(replay.headers).map((name) => name.toLowerCase()));
  const kept = Object.entries(keepHeaders(provider, headers));
  const recorded = Object.fromEntries(kept.filter(([name]) => !ownNames.has(name)));
  // Every response has X-Request-Id, the id in the log, unless the recording has one.
  const ownId =
    provider.requestIdHeader === "x-request-id" ? {} : { [provider.requestIdHeader]: providerRequestId(requestId) };
  return { ...ownId, ...recorded };
}

/** Returns the name of the test that a request belongs to; null if it names none. Throws AppError bad_request. */
function testOf(header: Header): string | null {
  const test = header("x-replay-test");
  if (test !== null && (test.length === 0 || test.length > maxTestNameLength)) {
    throw new AppError("bad_request", `The header x-replay-test must have 1 to ${maxTestNameLength} characters.`);
  }
  return test;
}

const sequenceHeader = "x-replay-sequence";
/** How many names the error for an unknown sequence lists. */
const knownNameCount = 3;

/** Returns the items of `x-replay-sequence`, or those that the sequence file has under its name `@<name>`. Throws AppError. */
async function sequenceItems({ catalogue }: DropInContext, sequence: string): Promise<readonly string[]> {
  if (!sequence.startsWith("@")) return parseSequence(sequence, sequenceHeader);
  const sequences = await catalogue.sequences();
  const items = sequences.get(sequence.slice(1));
  if (items) return items;
  const known = [...sequences.keys()].slice(0, knownNameCount).join(", ");
  const rest = sequences.size > knownNameCount ? ` and ${sequences.size - knownNameCount} more` : "";
  const advice = known ? `It has ${known}${rest}.` : "The cassette store has no such file, or it is empty.";
  throw new AppError("not_found", `${sequencesFile} has no sequence "${sequence.slice(1, 101)}". ${advice}`);
}

/** Checks that a sequence names cassettes of the store, before its first item is played. Throws AppError bad_request. */
async function checkCassettes({ catalogue }: DropInContext, items: readonly string[]): Promise<void> {
  const ids = items.filter((item) => item.includes("/"));
  if (ids.length === 0) return;
  const index = await catalogue.matchIndex();
  const unknown = ids.find((id) => !index.find(id));
  if (unknown !== undefined) {
    throw new AppError("bad_request", unknownCassette(index, unknown, sequenceHeader).message);
  }
}

/** Returns the item of `x-replay-sequence` for this request of the test; null without the header. Throws AppError. */
async function sequenceItem(context: DropInContext, { header }: DropInInput): Promise<string | null> {
  const sequence = header(sequenceHeader);
  if (sequence === null) return null;
  const test = testOf(header);
  if (test === null)
    throw new AppError("bad_request", `${sequenceHeader} needs the header x-replay-test, a name of your own.`);
  const items = await sequenceItems(context, sequence);
  await checkCassettes(context, items);
  const item = items[countInTest(test, `sequence ${sequence}`)];
  if (item) return item;
  throw new AppError("not_found", `The sequence of test ${test} has ${items.length} items, which were all played.`);
}

/**
 * Returns the id of the recording to play: the chosen one, or, if a test sends a request that was recorded several times,
 * the next of these recordings. Throws AppError not_found after the last one.
 */
function nextOfTest({ id, repeats = [] }: Choice, { header }: DropInInput): string {
  const test = testOf(header);
  if (test === null || repeats.length < 2) return id;
  const next = repeats[countInTest(test, `request ${id}`)];
  if (next !== undefined) return next;
  throw new AppError("not_found", `Test ${test} played all ${repeats.length} recordings of this request.`);
}

const operationTitles: Readonly<Record<Operation, string>> = {
  generate: "an answer",
  "count-tokens": "a token count",
  models: "a list of models",
  embeddings: "embeddings",
  other: "another request",
};

/** Returns what a path names last: of Gemini and Vertex AI, the method. */
export function lastName(path: string): string {
  return /[^/:]*$/.exec(path)?.[0] ?? "";
}

/** Checks that a cassette is of what the path is for. A named cassette is chosen by its name alone. Throws AppError. */
export async function checkOperation(
  { catalogue }: DropInContext,
  { id, match }: Choice,
  { provider, request, path }: Pick<ReadInput, "provider" | "request"> & { path: string },
): Promise<void> {
  const summary = (await catalogue.matchIndex()).find(id);
  if (!summary) return;
  const { operation } = summary.match;
  const asked = request.key.operation;
  // A client that names its model counts tokens with the same name; that gets an estimate.
  const code = asked === "count-tokens" || match === "nearest" ? "not_found" : "bad_request";
  if (operation !== asked) {
    const message = `${id} is a recording of ${operationTitles[operation]}. This path is for ${operationTitles[asked]}.`;
    throw new AppError(code, message);
  }
  const isOneForm = asked === "generate" && provider.name !== "ollama";
  if (isOneForm || lastName(summary.path) === lastName(path)) return;
  throw new AppError(
    code,
    `${id} is a recording of ${summary.path}, whose answers have another form than those of this path. Send the request there.`,
  );
}

/** Whether a stream says its usage: if the request asks for it, or the recording has it although nobody asked. */
async function keepsUsage({ catalogue }: DropInContext, { id, headers, provider }: Recording, { key }: DropInRequest) {
  if (key.asksUsage || !provider.isUsageEvent) return true;
  const wasStreamed = framingOf(headers["content-type"]) === "sse";
  return wasStreamed && (await catalogue.matchIndex()).find(id)?.match.asksUsage === false;
}

async function replayRead(context: DropInContext, input: ReadInput): Promise<Replay> {
  const { provider, request, header, requestId } = input;
  const faults = parseFaults(header("x-replay-fault"), provider);
  const speed = speedOf(input);
  const asked = faults.error;
  if (asked !== undefined && header(sequenceHeader) !== null)
    throw new AppError(
      "bad_request",
      `x-replay-fault: status=${asked.status} cannot be combined with ${sequenceHeader}, which says what each request gets. Make the status an item of it.`,
    );
  const item = await sequenceItem(context, input);
  const status = item === null ? undefined : statusOfError(item, provider);
  const error = status === undefined ? asked : withDefaults({ status });
  if (error) return openError(provider, error, requestId);
  const named = item === null ? findNamed(input) : { id: item, place: sequenceHeader };
  const choice = await chooseCassette(context, { provider, request, named });
  await checkOperation(context, choice, { ...input, path: input.source.path });
  const recording = await requireRecording(context, nextOfTest(choice, input));
  const isAnswer = request.key.operation === "generate";
  const form = isAnswer ? request.form : null;
  const opened = openAnswer(recording, { form, speed });
  const replay =
    form === "sse" && !(await keepsUsage(context, recording, request)) ? omitUsage(opened, provider) : opened;
  const recordedHeaders = providerHeaders(recording, { replay, requestId });
  const headers = { ...recordedHeaders, ...replay.headers, "X-Replay-Match": choice.match };
  return applyFaults({ ...replay, headers }, faults);
}

/**
 * Returns the replay for a request in a provider's protocol, in the form that the request wants. `X-Replay-Match` says how
 * the cassette was chosen. A recorded error keeps the form in which it was recorded. Throws AppError.
 */
export async function replayAnswer(context: DropInContext, input: DropInInput): Promise<Replay> {
  return replayRead(context, await readInput(context, input));
}

/** Characters per token, roughly, in English text. */
const charactersPerToken = 4;

/**
 * Returns the token count of a request: the recorded one of exactly this request, else an estimate from its length.
 */
export async function countTokens(
  context: DropInContext,
  input: DropInInput,
): Promise<{ replay: Replay } | { tokens: number }> {
  const read = await readInput(context, input);
  try {
    return { replay: await replayRead(context, read) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "not_found") throw error;
    return { tokens: Math.ceil(read.request.inputLength / charactersPerToken) };
  }
}
