import { AppError } from "#lib/platform/errors";
import { keepHeaders, type Recording } from "#lib/replay/cassettes/index";
import {
  framingOf,
  type Operation,
  type Provider,
  providerRequestId,
  requireProvider,
} from "#lib/replay/providers/index";
import { applyFaults, delayResponse } from "./answer-faults";
import { openAnswer } from "./answer-form";
import {
  afterEndHeader,
  type Choice,
  cassettePrefix,
  chooseCassette,
  type DropInContext,
  type Named,
} from "./choose-cassette";
import { nextOfTest, sequenceHeader, sequenceItem } from "./count-requests";
import { openError, parseFaults, statusOfError, withDefaults } from "./faults";
import { omitUsage } from "./omit-usage";
import { type Replay, requireRecording } from "./open-replay";
import { type DropInRequest, type RequestSource, readRequest } from "./read-request";
import { speedSchema } from "./speed";

type Header = (name: string) => string | null;
export type DropInInput = {
  source: RequestSource;
  /** From the query; the headers `x-replay-speed` and `x-replay-fault` replace them. */
  speed?: number | undefined;
  fault?: string | undefined;
  header: Header;
  requestId: string;
};
/** A request that is parsed. */
export type ReadInput = Pick<DropInInput, "speed" | "fault" | "header" | "requestId"> & {
  path: string;
  provider: Provider;
  request: DropInRequest;
};

async function readInput({ catalogue }: DropInContext, input: DropInInput): Promise<ReadInput> {
  const hasRedactions = async () => (await catalogue.matchIndex()).hasRedactions;
  const request = await readRequest(input.source, hasRedactions);
  const { path, provider } = input.source;
  return { ...input, path, provider: requireProvider(provider), request };
}

function afterPrefix(text: string | null | undefined): string | undefined {
  return text?.startsWith(cassettePrefix) ? text.slice(cassettePrefix.length) : undefined;
}

/** Returns the cassette that a client names: as the model, in a header, or as its API key where it can set nothing else. */
export function findNamed({ request, header, path }: Pick<ReadInput, "request" | "header" | "path">): Named | null {
  // Clients of Bedrock sign their headers, and have the model in the path.
  const [, inPath] = /^\/model\/cassette(?::|%3[Aa])(.+)\/[^/]+$/.exec(path) ?? [];
  const model = inPath?.replace(/%2F/i, "/") ?? afterPrefix(request.key.model);
  const repeatsEnd = isEndRepeated(header);
  if (model !== undefined) return { id: model, place: "model", repeatsEnd };
  const named = header("x-replay-cassette");
  if (named) return { id: named, place: "x-replay-cassette", repeatsEnd };
  const bearer = header("authorization")?.replace(/^bearer +/i, "");
  const query = new URLSearchParams(request.query).get("key");
  const [id] = [bearer, header("x-api-key"), header("api-key"), header("x-goog-api-key"), query].flatMap(
    (key) => afterPrefix(key) ?? [],
  );
  return id === undefined ? null : { id, place: "API key", repeatsEnd };
}

function isEndRepeated(header: Header): boolean {
  const afterEnd = header(afterEndHeader);
  if (afterEnd === null || afterEnd === "repeat") return afterEnd !== null;
  throw new AppError("bad_request", `The header ${afterEndHeader} must be repeat.`);
}

function speedOf({ speed = 1, header }: Pick<ReadInput, "speed" | "header">): number {
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
  { provider, request, path }: Pick<ReadInput, "provider" | "request" | "path">,
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

async function chooseForPath(context: DropInContext, input: ReadInput, named: Named | null): Promise<Choice> {
  const choice = await chooseCassette(context, { ...input, named });
  await checkOperation(context, choice, input);
  return choice;
}

/** Returns the replay for a request that is parsed. Throws AppError. */
export async function replayRead(
  context: DropInContext,
  input: ReadInput,
  choose: typeof chooseForPath = chooseForPath,
): Promise<Replay> {
  const { provider, request, header, requestId } = input;
  const inHeader = header("x-replay-fault");
  const faults = parseFaults(inHeader ?? input.fault ?? null, provider, inHeader === null ? "fault" : undefined);
  const speed = speedOf(input);
  const asked = faults.error;
  if (asked !== undefined && header(sequenceHeader) !== null)
    throw new AppError(
      "bad_request",
      `The fault status=${asked.status} cannot be combined with ${sequenceHeader}, which says what each request gets. Make the status an item of it.`,
    );
  const item = await sequenceItem(context, input);
  const status = item === null ? undefined : statusOfError(item, provider);
  const error = status === undefined ? asked : withDefaults({ status });
  if (error) return openError(provider, error, requestId);
  const named =
    item === null ? findNamed(input) : { id: item, place: sequenceHeader, repeatsEnd: isEndRepeated(header) };
  const choice = await choose(context, input, named);
  const recording = await requireRecording(context, await nextOfTest(choice, input));
  const { form } = request;
  const opened = openAnswer(recording, { form, speed });
  const replay =
    form === "sse" && !(await keepsUsage(context, recording, request)) ? omitUsage(opened, provider) : opened;
  const recordedHeaders = providerHeaders(recording, { replay, requestId });
  const headers = { ...recordedHeaders, ...replay.headers, "X-Replay-Match": choice.match };
  const asking = { provider, asker: "request", requestId: providerRequestId(requestId) } as const;
  const faulty = applyFaults({ ...replay, headers }, faults, asking);
  await delayResponse(faults);
  return faulty;
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
