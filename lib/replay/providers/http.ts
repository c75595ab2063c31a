import { type Provider, textOrNull } from "./provider";

const exceptions: ReadonlyMap<number, string> = new Map([
  [403, "AccessDeniedException"],
  [404, "ResourceNotFoundException"],
  [408, "ModelTimeoutException"],
  [409, "ConflictException"],
  [424, "ModelErrorException"],
  [429, "ThrottlingException"],
  [503, "ServiceUnavailableException"],
]);

/** Returns the name that Amazon Bedrock has for an error. */
function exceptionOf(status: number): string {
  return exceptions.get(status) ?? (status >= 500 ? "InternalServerException" : "ValidationException");
}

/** Plain HTTP: what no protocol describes is recorded and replayed as bytes, and matched as a whole. */
export const http: Provider = {
  name: "http",
  title: "HTTP",
  upstream: {
    baseUrl: "http://127.0.0.1",
    baseUrlVariable: null,
    keyVariables: [],
    headers: () => ({}),
    betaHeader: null,
    bodyOf: () => ({}),
    pathOf: () => ({ path: "/", query: "" }),
  },
  operationOf: () => "other",
  volatileFields: [],
  choiceFields: [],
  toolResults: () => [],
  isFromModel: () => false,
  answerOf: () => ({}),
  historyField: "/messages",
  textFields: [],
  stream: { contentType: "text/event-stream", isNamed: false, endMarker: null },
  keptHeaders: ["*"],
  requestIdHeader: "x-request-id",
  readQuestion: ({ body }) => ({ prompt: "", model: textOrNull(body?.model), assistantTurns: 0, answeredIds: [] }),
  formOf: () => "whole",
  isAnswer: () => false,
  fold: () => ({ body: null, error: null, isEnded: true }),
  readAnswer: () => ({ parts: [], model: null, usage: {}, ids: [], stopReason: null }),
  readDeltas: () => [],
  unfold: (body) => ({ contentType: "application/json", events: [JSON.stringify(body)] }),
  errorBody: ({ status, message, code }) => ({
    // Clients of Amazon Bedrock read these two, and those of Cohere the message.
    message,
    __type: code ?? exceptionOf(status),
    error: { status, message, ...(code === undefined ? {} : { code }) },
  }),
  statusOf: () => 500,
};
