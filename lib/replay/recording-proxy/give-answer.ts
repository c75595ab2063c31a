import { composeAnswer, encodeBody, objectOf } from "#lib/replay/cassettes/index";
import { isHostLike } from "#lib/replay/interception/index";
import { openAnswer, type Replay } from "#lib/replay/playback/index";
import { asObject, objectsOf, type Provider, type ProviderRequest, providersOf } from "#lib/replay/providers/index";
import type { AnswerUse, GivenAnswer } from "./answers";
import type { Call } from "./call";
import { decodeRequest } from "./decode-request";
import { playWithFault } from "./play-exchange";
import { type CallFault, deliveryOf, errorOfFault, lowerCased } from "./proxy-faults";
import { modelOf } from "./recorded-calls";
import type { TestRun } from "./store-call";

/** Model in an answer to a request that names none. */
const unknownModel = "unknown";

type Asked = ProviderRequest & { body: Record<string, unknown> };

/** Returns a request for an answer of a model, as it was sent; undefined for any other. Its texts are not masked. */
function readAsked({ provider, request, incoming }: Call): Asked | undefined {
  const { method = "GET" } = request;
  const { path, query } = incoming;
  const found = providersOf({ method, path }).find((one) => one.provider === provider);
  if (found?.operation !== "generate") return undefined;
  const decoded = decodeRequest(incoming.body, request.headers["content-encoding"]);
  const body = objectOf(encodeBody(decoded.body));
  return body ? { method, path, query, body } : undefined;
}

const modelIn = (provider: Provider, asked: Asked) => modelOf(provider, { ...asked, body: { json: asked.body } });

/** Whether an answer can have tool calls: those of Ollama's /api/generate have none. */
function takesCalls({ path }: Asked): boolean {
  return !path.endsWith("/api/generate");
}

/** Returns what a tool of Gemini returned: its JSON after its texts, which clients put into members such as `output`. */
function resultOf(functionResponse: unknown): string {
  if (functionResponse === undefined) return "";
  const response = asObject(asObject(functionResponse).response);
  const texts = Object.values(response).filter((value) => typeof value === "string");
  return [...texts, JSON.stringify(response)].join("\n");
}

/** Returns the text in an item of a request. */
function textOf(item: unknown): string {
  if (typeof item === "string") return item;
  if (Array.isArray(item)) return item.map(textOf).join("\n");
  if (item === null || typeof item !== "object") return "";
  const { text, content, output, parts, functionResponse } = asObject(item);
  return [...[text, content, output, parts].map(textOf), resultOf(functionResponse)].filter(Boolean).join("\n");
}

/** Returns the text of the last message that is not the model's: of the user, or of all tools whose results end the request. */
function readLastMessage(provider: Provider, request: Asked): string {
  const { historyField, isFromModel, toolResults, readQuestion } = provider;
  const history = request.body[historyField.slice(1)];
  if (!Array.isArray(history)) return readQuestion(request).prompt;
  const items = objectsOf(history);
  const isSent = (item: Record<string, unknown>) =>
    !isFromModel(item) && item.role !== "system" && item.role !== "developer";
  const last = items.findLastIndex(isSent);
  const results = new Set(toolResults(request.body).map((pointer) => Number(pointer.split("/")[2])));
  const isResult = (index: number) => results.has(index) && isSent(items[index] ?? {});
  let first = last;
  while (isResult(first) && isResult(first - 1)) first -= 1;
  return textOf(items.slice(Math.max(0, first), last + 1));
}

/** Returns a hand-written answer in the protocol and the form of a request. */
function openHandWritten(
  { answer, seed }: GivenAnswer,
  { provider, asked, speed }: { provider: Provider; asked: Asked; speed: number },
): { replay: Replay; headers: Record<string, string> } {
  const id = `answer_${seed}`;
  const error = errorOfFault(answer, provider, { speed, id });
  if (error) {
    const { status, headers, body } = error;
    const schedule = { frames: [Buffer.from(body)], dueMs: new Float64Array(1), from: 0, offsetMs: 0, speed };
    return { replay: { status, headers, schedule: { ...schedule, cutAtEnd: false } }, headers };
  }
  const model = modelIn(provider, asked) ?? unknownModel;
  const recording = composeAnswer(provider, answer, { request: asked.body, model, seed });
  const replay = openAnswer(recording, { form: provider.formOf(asked), speed });
  return {
    replay,
    headers: {
      "content-type": replay.headers["Content-Type"] ?? "",
      [provider.requestIdHeader]: `req_${id}`,
      ...lowerCased(answer.headers),
      "x-tapedeck": "answered",
    },
  };
}

/** Answers a call with the test's hand-written answer for it. Returns false if it has none. */
export async function giveAnswer(call: Call, fault: CallFault | undefined, run: TestRun): Promise<boolean> {
  const { answers, report, options } = run;
  const asked = answers.isEmpty ? undefined : readAsked(call);
  if (!asked) return false;
  const named = modelIn(call.provider, asked);
  const given = answers.take(
    readLastMessage(call.provider, asked),
    ({ model = named, host, toolCalls }) =>
      model === named && (!host || isHostLike(call.seen.host, host)) && (!toolCalls || takesCalls(asked)),
  );
  if (!given) return false;
  report.answered += 1;
  const { replay, headers } = openHandWritten(given, { provider: call.provider, asked, speed: options.speed });
  const { answer, name, seed } = given;
  // With the answer's own seed, delays need no note, of which each call would add one.
  const own = deliveryOf(answer);
  await playWithFault(call, replay, { name, headers, fault: fault ?? (own && { seed, ...own }), run });
  return true;
}

const maxShownLength = 100;

/** Returns why a call got no hand-written answer; undefined if the test has none. */
export function whyNoAnswer(call: Call, answers: AnswerUse): string | undefined {
  if (answers.isEmpty) return undefined;
  const asked = readAsked(call);
  if (!asked)
    return "Only calls of Anthropic Messages, Chat Completions, Responses, Gemini and Ollama get hand-written answers.";
  // The report of the run is a file, so that secrets are masked.
  const message = readLastMessage(call.provider, { ...asked, body: objectOf(call.read().asked.body) ?? {} });
  const shown = message.length > maxShownLength ? `${message.slice(0, maxShownLength)}…` : message;
  const model = modelIn(call.provider, asked);
  const of = model === null ? "" : ` and the model ${model}`;
  const why = takesCalls(asked) ? "" : " Those with toolCalls are not for Ollama's /api/generate.";
  return `No hand-written answer is left for its last message: ${JSON.stringify(shown)}${of}.${why}`;
}
