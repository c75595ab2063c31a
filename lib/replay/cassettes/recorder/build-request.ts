/** The request cannot be sent as it was given; the message says what is missing or too much. */
export class RequestError extends Error {
  override readonly name = "RequestError";
}

/** Where a request comes from; what is named later in this list wins. */
export type RequestParts = {
  /** A whole request body, or parts of one. */
  base?: Record<string, unknown>;
  prompt?: string;
  system?: string;
  model?: string;
  maxTokens?: number;
};

/** Tokens asked for where nothing says how many. */
const defaultMaxTokens = 1024;

/** Puts the body of a Messages request together. Throws RequestError. */
export function buildRequest({ base = {}, prompt, system, model, maxTokens }: RequestParts): Record<string, unknown> {
  const { messages: given, ...rest } = base;
  if (prompt !== undefined && given !== undefined) {
    throw new RequestError("the request has messages already; leave out the prompt or the messages");
  }
  if (prompt !== undefined && prompt.trim() === "") throw new RequestError("the prompt is empty");
  const messages = prompt === undefined ? given : [{ role: "user", content: prompt }];
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new RequestError("there is nothing to ask: give --prompt, --prompt-file or a --request with messages");
  }
  const chosen = model ?? rest.model;
  if (typeof chosen !== "string" || chosen === "") {
    throw new RequestError("no model is named: give --model, or model in the prompt file's front matter");
  }
  return {
    max_tokens: defaultMaxTokens,
    ...rest,
    model: chosen,
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(system === undefined ? {} : { system }),
    messages,
    stream: true,
  };
}
