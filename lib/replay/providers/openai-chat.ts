import type { StreamEvent } from "./events";
import { isOpenaiError, modelsPath, openaiCommon, openaiUpstream } from "./openai";
import {
  type Answer,
  type AnswerPart,
  asObject,
  asText,
  atOnce,
  ByIndex,
  type Delta,
  eventStreamType,
  type Folded,
  inOrder,
  isAssistant,
  type Json,
  messagesAfter,
  messagesOf,
  objectsOf,
  type Provider,
  readMessages,
  type SplitText,
  serverSentEvent,
  textOfContent,
  textOrNull,
  toolMessages,
  withoutUndefined,
} from "./provider";

const endMarker = "[DONE]";
/** Fields of a message that arrive in pieces: some servers send reasoning under one of two names. */
const textFields = new Set(["content", "refusal", "reasoning_content", "reasoning"]);

type Choice = { index: number; message: Json; rest: Json; calls: ByIndex<Json> };

function appendCall(calls: Choice["calls"], delta: Json): void {
  const index = typeof delta.index === "number" ? delta.index : calls.nextIndex;
  const call = calls.get(index) ?? {};
  const { name, arguments: text } = asObject(delta.function);
  const known = asObject(call.function);
  const { index: _index, function: _function, ...rest } = delta;
  calls.set(index, {
    ...call,
    ...rest,
    function: { name: asText(name) || asText(known.name), arguments: asText(known.arguments) + asText(text) },
  });
}

function applyDelta({ message, calls }: Choice, delta: Json): void {
  const { tool_calls, ...fields } = delta;
  for (const [field, value] of Object.entries(fields)) {
    const known = message[field];
    if (textFields.has(field) && typeof value === "string") message[field] = asText(known) + value;
    else if (Array.isArray(value) && Array.isArray(known)) message[field] = [...known, ...value];
    else if (value !== null || known === undefined) message[field] = value;
  }
  for (const each of objectsOf(tool_calls)) appendCall(calls, each);
}

/** Sets fields of a choice. Log probabilities arrive with the tokens that they are about. */
function applyRest({ rest }: Choice, fields: Json): void {
  for (const [field, value] of Object.entries(fields)) {
    if (field === "logprobs" && rest.logprobs && value)
      rest.logprobs = joinLists(asObject(rest.logprobs), asObject(value));
    else if (value !== null || rest[field] === undefined) rest[field] = value;
  }
}

function joinLists(known: Json, next: Json): Json {
  const lists = Object.entries(next).map(([field, value]) => {
    const earlier = known[field];
    return [field, Array.isArray(earlier) ? [...earlier, ...objectsOf(value)] : value];
  });
  return { ...known, ...Object.fromEntries(lists) };
}

function fold(events: readonly StreamEvent[]): Folded {
  let head: Json | null = null;
  let error: Json | null = null;
  let isEnded = false;
  const choices = new Map<number, Choice>();
  for (const { data, json } of events) {
    if (data === endMarker) isEnded = true;
    // OpenRouter sends an error within a chunk, whose other fields belong to the answer.
    if (json?.error) error = Array.isArray(json.choices) ? { error: json.error } : json;
    if (json?.object === "chat.completion") return { body: json, error: null, isEnded: true };
    if (!json || !Array.isArray(json.choices)) continue;
    const { choices: deltas, obfuscation: _padding, error: _error, ...rest } = json;
    head = { ...asObject(head), ...rest };
    for (const { index, delta, ...others } of objectsOf(deltas)) {
      const number = Number(index ?? 0);
      const message = { role: "assistant", content: null };
      const choice = choices.get(number) ?? { index: number, message, rest: {}, calls: new ByIndex() };
      choices.set(number, choice);
      applyDelta(choice, asObject(delta));
      applyRest(choice, others);
    }
  }
  if (!head) return { body: null, error, isEnded };
  const folded = [...choices.values()].map(({ index, message, rest, calls }) => ({
    index,
    message: calls.size > 0 ? { ...message, tool_calls: inOrder(calls) } : message,
    finish_reason: null,
    ...rest,
  }));
  return { body: { ...head, object: "chat.completion", choices: folded }, error, isEnded };
}

function partsOf(message: Json, isOpen: boolean): AnswerPart[] {
  const parts: AnswerPart[] = [];
  const reasoning = asText(message.reasoning_content) || asText(message.reasoning);
  if (reasoning !== "") parts.push({ kind: "thinking", text: reasoning, isRedacted: false });
  const text = textOfContent(message.content);
  if (text !== "") parts.push({ kind: "text", text, citations: [] });
  const refusal = asText(message.refusal);
  if (refusal !== "") parts.push({ kind: "refusal", text: refusal });
  const calls = objectsOf(message.tool_calls);
  for (const [index, { function: called }] of calls.entries()) {
    const { name, arguments: input } = asObject(called);
    const isComplete = !isOpen || index < calls.length - 1;
    parts.push({ kind: "tool", name: asText(name), input: asText(input), isServer: false, isComplete });
  }
  return parts;
}

function readAnswer(body: Json): Answer {
  const choices = objectsOf(body.choices);
  const messages = choices.map(({ message }) => asObject(message));
  const stopReason = textOrNull(choices[0]?.finish_reason);
  return {
    parts: messages.flatMap((message) => partsOf(message, stopReason === null)),
    model: textOrNull(body.model),
    usage: asObject(body.usage),
    ids: messages.flatMap(({ tool_calls: calls }) => objectsOf(calls).map(({ id }) => asText(id))),
    stopReason,
  };
}

function readDeltas({ error, choices }: Json): Delta[] {
  if (error) return [{ kind: "error", text: JSON.stringify(error) }];
  return objectsOf(choices).flatMap(({ delta: value }) => {
    const delta = asObject(value);
    const texts: Delta[] = [
      { kind: "thinking", text: asText(delta.reasoning_content) || asText(delta.reasoning) },
      { kind: "text", text: asText(delta.content) + asText(delta.refusal) },
    ];
    const calls = objectsOf(delta.tool_calls).map((call): Delta => {
      const { name, arguments: text } = asObject(call.function);
      return { kind: "tool", text: asText(text), ...(asText(name) === "" ? {} : { name: asText(name) }) };
    });
    return [...texts.filter(({ text }) => text !== ""), ...calls];
  });
}

/** Returns the deltas of a message: its role, then its texts, then its calls. */
function deltasOf(message: Json, split: SplitText): Json[] {
  const { tool_calls: calls, ...fields } = message;
  const isText = ([field, value]: [string, unknown]) => textFields.has(field) && typeof value === "string";
  const texts = Object.entries(fields).filter(isText);
  const toCall = (call: Json, index: number) => {
    const called = asObject(call.function);
    if (typeof called.arguments !== "string") return [{ index, ...call }];
    const pieces = split(called.arguments).map((piece) => ({ index, function: { arguments: piece } }));
    return [{ index, ...call, function: { ...called, arguments: "" } }, ...pieces];
  };
  return [
    { ...fields, ...Object.fromEntries(texts.map(([field]) => [field, ""])) },
    ...texts.flatMap(([field, text]) => split(asText(text)).map((piece) => ({ [field]: piece }))),
    ...objectsOf(calls)
      .flatMap(toCall)
      .map((call) => ({ tool_calls: [call] })),
  ];
}

function unfold(body: Json, split = atOnce): { contentType: string; events: string[] } {
  const { choices, usage, ...rest } = body;
  const head = { ...rest, object: "chat.completion.chunk" };
  const chunk = (choice: Json) => ({ ...head, choices: [choice] });
  const events = objectsOf(choices).flatMap(({ index, message, ...end }) => {
    const deltas = deltasOf(asObject(message), split).map((delta) => chunk({ index, delta, finish_reason: null }));
    return [...deltas, chunk({ index, delta: {}, ...end })];
  });
  const totals = usage === undefined ? [] : [{ ...head, choices: [], usage }];
  return {
    contentType: eventStreamType,
    events: [...events, ...totals, endMarker].map((event) => serverSentEvent(event)),
  };
}

/** Ids of the tool calls that the messages after the last answer have the results of. */
function answeredIds(messages: readonly Json[]): string[] {
  return messagesAfter("assistant", messages).flatMap(({ role, tool_call_id: id }) =>
    role === "tool" ? (textOrNull(id) ?? []) : [],
  );
}

/** OpenAI Chat Completions, which many other providers offer too. */
export const openaiChat: Provider = {
  ...openaiCommon,
  name: "openai-chat",
  title: "OpenAI Chat Completions",
  upstream: {
    ...openaiUpstream,
    bodyOf: ({ model, maxTokens, isStream, ...ask }) =>
      withoutUndefined({ model, ...messagesOf(ask), max_completion_tokens: maxTokens, stream: isStream }),
    defaults: (isStream) => (isStream ? { stream_options: { include_usage: true } } : {}),
    pathOf: () => ({ path: "/v1/chat/completions", query: "" }),
  },
  operationOf: ({ method, path }) => {
    if (method === "POST" && path.endsWith("/chat/completions")) return "generate";
    if (method === "POST" && /(?<!\/api)\/embeddings$/.test(path)) return "embeddings";
    return method === "GET" && modelsPath.test(path) ? "models" : null;
  },
  toolResults: toolMessages,
  historyField: "/messages",
  isFromModel: isAssistant,
  answerOf: (items) => ({ choices: items.map((message) => ({ message, finish_reason: "stop" })) }),
  textFields: [...textFields, "arguments"],
  stream: { contentType: eventStreamType, isNamed: false, endMarker },
  readQuestion: ({ body }) => ({
    ...readMessages(body, answeredIds),
    asksUsage: asObject(body?.stream_options).include_usage === true,
  }),
  isUsageEvent: ({ choices, usage }) => Array.isArray(choices) && choices.length === 0 && Boolean(usage),
  isAnswer: ({ choices, error }) => Array.isArray(choices) || isOpenaiError(error),
  fold,
  readAnswer,
  readDeltas,
  unfold,
};
