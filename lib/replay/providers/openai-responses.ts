import { isOpenaiError, modelsPath, openaiCommon, openaiUpstream } from "./openai";
import { fold, isCall, openStatuses, readDeltas, toolName, unfold } from "./openai-responses-stream";
import {
  type Answer,
  type AnswerPart,
  asObject,
  asText,
  type Citation,
  eventStreamType,
  type Json,
  jsonText,
  lastUserText,
  objectsOf,
  type Provider,
  textOrNull,
  withoutUndefined,
} from "./provider";

function toCitation(json: Json): Citation {
  const source = [json.title, json.filename, json.url, json.file_id].map(asText).find((text) => text !== "");
  return { quote: "", source: source ?? "Document", url: textOrNull(json.url) };
}

function messageParts(item: Json): AnswerPart[] {
  return objectsOf(item.content).map((part) =>
    part.type === "refusal"
      ? { kind: "refusal", text: asText(part.refusal) }
      : { kind: "text", text: asText(part.text), citations: objectsOf(part.annotations).map(toCitation) },
  );
}

/** Whether the provider runs the tool itself; a call that the client has to answer has an id for it. */
function isServerCall(item: Json): boolean {
  return textOrNull(item.call_id) === null || item.execution === "server";
}

function firstDefined(item: Json, fields: readonly string[]): unknown {
  return fields.map((field) => item[field]).find((value) => value !== undefined && value !== null);
}

function toParts(item: Json, isOpen: boolean): AnswerPart[] {
  const type = asText(item.type);
  if (type === "message") return messageParts(item);
  if (type === "reasoning") {
    const texts = [...objectsOf(item.summary), ...objectsOf(item.content)].map((part) => asText(part.text));
    const text = texts.filter((each) => each !== "").join("\n\n");
    return [{ kind: "thinking", text, isRedacted: text === "" && !isOpen }];
  }
  const content = firstDefined(item, ["output", "outputs", "results", "result", "tools", "error"]);
  if (!isCall(item)) return [{ kind: "result", name: type, content }];
  const input = firstDefined(item, ["arguments", "input", "code", "action", "operation", "queries"]);
  const call: AnswerPart = {
    kind: "tool",
    name: toolName(item),
    input: jsonText(input),
    isServer: isServerCall(item),
    isComplete: !isOpen && item.status !== "incomplete",
  };
  return content === undefined ? [call] : [call, { kind: "result", name: type, content }];
}

function readAnswer(body: Json): Answer {
  const items = objectsOf(body.output);
  const isOpen = openStatuses.includes(body.status);
  const reason = textOrNull(asObject(body.incomplete_details).reason);
  const ids = items.map((item) => (item.type === "mcp_approval_request" ? item.id : item.call_id));
  return {
    parts: items.flatMap((item, index) =>
      toParts(item, isOpen && item.status !== "completed" && (item.status !== undefined || index === items.length - 1)),
    ),
    model: textOrNull(body.model),
    usage: asObject(body.usage),
    ids: [body.id, ...ids].flatMap((id) => textOrNull(id) ?? []),
    stopReason: isOpen ? null : (reason ?? textOrNull(body.status)),
  };
}

/** Input items are written by the model unless they are messages of other roles, results or approvals. */
function isFromModel({ type, role, execution }: Json): boolean {
  if (type === undefined || type === "message") return role === "assistant";
  return type !== "mcp_approval_response" && (!asText(type).endsWith("_output") || execution === "server");
}

/** Returns an item of the input as it is in an answer. Clients may write a message as a text, and leave out its type. */
function toOutputItem(item: Json): Json {
  const { role, content } = item;
  if (role !== "assistant") return item;
  return { ...item, type: "message", content: typeof content === "string" ? [{ text: content }] : content };
}

export const openaiResponses: Provider = {
  ...openaiCommon,
  name: "openai-responses",
  volatileFields: [...openaiCommon.volatileFields, "/client_metadata"],
  title: "OpenAI Responses",
  upstream: {
    ...openaiUpstream,
    bodyOf: ({ model, prompt, system, maxTokens, isStream }) =>
      withoutUndefined({ model, instructions: system, input: prompt, max_output_tokens: maxTokens, stream: isStream }),
    pathOf: () => ({ path: "/v1/responses", query: "" }),
  },
  operationOf: (request) => {
    if (request.method === "POST" && request.path.endsWith("/responses")) return "generate";
    if (request.method === "POST" && request.path.endsWith("/responses/input_tokens")) return "count-tokens";
    if (/\/responses(?:\/|$)/.test(request.path)) return "other";
    return request.method === "GET" && modelsPath.test(request.path) ? "models" : null;
  },
  toolResults: ({ input }) =>
    objectsOf(input).flatMap(({ type }, index) => (asText(type).endsWith("_output") ? [`/input/${index}/output`] : [])),
  isFailure: (output) =>
    objectsOf(output).some(({ outcome }) => outcome !== undefined && asObject(outcome).exit_code !== 0),
  historyField: "/input",
  isFromModel,
  isReference: ({ type }) => type === "item_reference",
  answerOf: (items) => ({ output: items.map(toOutputItem), status: "completed" }),
  textFields: ["delta"],
  stream: { contentType: eventStreamType, isNamed: true, isNumbered: true, endMarker: null },
  readQuestion: ({ body }) => {
    const input = body?.input;
    const items = typeof input === "string" ? [{ role: "user", content: input }] : objectsOf(input);
    const isAnswer = items.map(isFromModel);
    const results = items.slice(isAnswer.lastIndexOf(true) + 1).filter(({ type }) => type !== undefined);
    const callIds = results.flatMap((item) => textOrNull(item.call_id ?? item.approval_request_id) ?? []);
    return {
      prompt: lastUserText(items),
      model: textOrNull(body?.model),
      assistantTurns: isAnswer.filter((isIt, index) => isIt && !isAnswer[index - 1]).length,
      // The ids of calls are enough: a client may name the response as well, or repeat its items.
      answeredIds: callIds.length > 0 ? callIds : [body?.previous_response_id].flatMap((id) => textOrNull(id) ?? []),
    };
  },
  isAnswer: ({ type, object, message, error }) =>
    asText(type).startsWith("response.") ||
    object === "response" ||
    (type === "error" && asText(message) !== "") ||
    isOpenaiError(error),
  fold,
  readAnswer,
  readDeltas,
  unfold,
};
