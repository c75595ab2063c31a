import { composeAnswer, encodeBody, objectOf, type RequestBody } from "#lib/replay/cassettes/index";
import { isHostLike } from "#lib/replay/interception/index";
import { openAnswer, type Replay } from "#lib/replay/playback/index";
import { asObject, objectsOf, type Provider, type ProviderRequest, providersOf } from "#lib/replay/providers/index";
import { type AnswerUse, type GivenAnswer, type HandWritten, isOfModel } from "./answers";
import type { Call } from "./call";
import { decodeRequest } from "./decode-request";
import { playWithFault } from "./play-exchange";
import { type CallFault, deliveryOf, errorOfFault, lowerCased } from "./proxy-faults";
import { modelOf } from "./recorded-calls";
import type { TestRun } from "./store-call";

/** Model in an answer to a request that names none. */
const unknownModel = "unknown";

/** Returns the body of a request, as it was sent. */
function readBody({ incoming, request }: Pick<Call, "incoming" | "request">): RequestBody {
  return encodeBody(decodeRequest(incoming.body, request.headers["content-encoding"]).body);
}

/** Returns what of a body is searched: its text, or its JSON. */
function bodyText(body: RequestBody): string {
  if (body === null) return "";
  return "s" in body ? body.s : "json" in body ? JSON.stringify(body.json) : "";
}

type Asked = ProviderRequest & { body: Record<string, unknown> };

/** Returns a request for an answer of a model, as it was sent; undefined for any other. Its texts are not masked. */
function readAsked({ provider, request, incoming }: Call): Asked | undefined {
  const { method = "GET" } = request;
  const { path, query } = incoming;
  const found = providersOf({ method, path }).find((one) => one.provider === provider);
  if (found?.operation !== "generate") return undefined;
  const body = objectOf(readBody({ incoming, request }));
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

/** Whether a path is the given one, in which `*` stands for any part. */
function isPathLike(path: string, pattern: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(path);
}

/** Returns an answer whose JSON is written as its body. */
function withText({ json, ...answer }: HandWritten): HandWritten {
  if (json === undefined) return answer;
  const headers = { "content-type": "application/json", ...lowerCased(answer.headers) };
  return { ...answer, body: JSON.stringify(json), headers };
}

type Opened = { replay: Replay; headers: Record<string, string> };

/** Opens an error, or an answer that is written whole. */
function openWhole({ answer, seed }: GivenAnswer, { provider, speed }: { provider: Provider; speed: number }): Opened {
  const written = withText(answer);
  const { status = 200, body = "", base64 } = written;
  const id = `answer_${seed}`;
  const error = status < 400 ? undefined : errorOfFault(written, provider, { speed, id });
  const headers = error?.headers ?? {
    "content-type": base64 === undefined ? "text/plain; charset=utf-8" : "application/octet-stream",
    [provider.requestIdHeader]: `req_${id}`,
    ...lowerCased(written.headers),
    "x-tapedeck": "answered",
  };
  const bytes = base64 === undefined ? Buffer.from(error?.body ?? body) : Buffer.from(base64, "base64");
  const schedule = { frames: [bytes], dueMs: new Float64Array(1), from: 0, offsetMs: 0, speed };
  return { replay: { status, headers, schedule: { ...schedule, cutAtEnd: false } }, headers };
}

/** Opens an answer of a model in the protocol and the form of a request. */
function openOfModel(
  { answer, seed }: GivenAnswer,
  { provider, asked, speed }: { provider: Provider; asked: Asked; speed: number },
): Opened {
  const model = modelIn(provider, asked) ?? unknownModel;
  const recording = composeAnswer(provider, answer, { request: asked.body, model, seed });
  const replay = openAnswer(recording, { form: provider.formOf(asked), speed });
  return {
    replay,
    headers: {
      "content-type": replay.headers["Content-Type"] ?? "",
      [provider.requestIdHeader]: `req_answer_${seed}`,
      ...lowerCased(answer.headers),
      "x-tapedeck": "answered",
    },
  };
}

/** Answers a call with the test's hand-written answer for it. Returns false if it has none. */
export async function giveAnswer(call: Call, fault: CallFault | undefined, run: TestRun): Promise<boolean> {
  const { answers, report, options } = run;
  if (answers.isEmpty) return false;
  const { provider, seen } = call;
  const asked = readAsked(call);
  if (!asked && !answers.hasPaths) return false;
  const other = asked ? null : readBody(call);
  const named = asked ? modelIn(provider, asked) : modelOf(provider, call.read().asked);
  const given = answers.take(asked ? readLastMessage(provider, asked) : bodyText(other), (answer) => {
    const { model = named, host, path, toolCalls } = answer;
    const isPossible = asked ? !toolCalls || takesCalls(asked) : path !== undefined && !isOfModel(answer);
    return (
      isPossible &&
      model === named &&
      (host === undefined || isHostLike(seen.host, host)) &&
      (path === undefined || isPathLike(seen.path, path))
    );
  });
  if (!given) return false;
  report.answered += 1;
  const { answer, name, seed } = given;
  const { speed } = options;
  const { replay, headers } =
    asked && isOfModel(answer) ? openOfModel(given, { provider, asked, speed }) : openWhole(given, { provider, speed });
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
    return "Calls other than those of Anthropic Messages, Chat Completions, Responses, Gemini and Ollama get hand-written answers with their path alone.";
  // The report of the run is a file, so that secrets are masked.
  const message = readLastMessage(call.provider, { ...asked, body: objectOf(call.read().asked.body) ?? {} });
  const shown = message.length > maxShownLength ? `${message.slice(0, maxShownLength)}…` : message;
  const model = modelIn(call.provider, asked);
  const of = model === null ? "" : ` and the model ${model}`;
  const why = takesCalls(asked) ? "" : " Those with toolCalls are not for Ollama's /api/generate.";
  return `No hand-written answer is left for its last message: ${JSON.stringify(shown)}${of}.${why}`;
}
