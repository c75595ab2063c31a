import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { LoopbackServer, readBody, sendJson } from "./loopback-server";

export const modelKey = "sk-test-key-of-the-model";

type Json = Record<string, unknown>;

/** A question as received by the provider. */
export type ModelRequest = {
  path: string;
  headers: IncomingHttpHeaders;
  body: Json;
  /** Prompt for the model. */
  system: string;
  user: string;
};

/** Reply of the model to a question. */
export type ModelReply =
  /** A structured answer, with white space after the message. */
  | { answer: unknown; padding?: number }
  /** Any text instead of an answer. */
  | { text: string; finish?: "length" }
  /** Any body instead of a message. */
  | { body: string }
  | { status: number; headers?: Record<string, string> }
  /** The connection is closed in the middle of the response. */
  | "cut"
  /** No response. */
  | "silence";

export type Model = (request: ModelRequest) => ModelReply | Promise<ModelReply>;

/** Token usage of each answer. */
export const usage = { input: 700, output: 90 };

/** Returns a valid answer, with some fields replaced. */
export function answerWith(given: Json = {}): { answer: Json } {
  const answer = {
    summary: "The pricing page was added.",
    significance: 3,
    categories: ["pricing-change"],
    sections_added: [],
    sections_removed: [],
    sections_modified: [],
    key_quotes: [],
    ...given,
  };
  return { answer };
}

/** A model that obeys the text in its prompt: it returns what follows "Answer with:". */
export const obedientModel: Model = ({ user }) => {
  const order = /Answer with: (.*)/.exec(user)?.[1] ?? "nothing was ordered";
  const fence = /<(data-\w+)>/.exec(user)?.[1] ?? "";
  return answerWith({ summary: `Something changed. ${order.replace("YOUR FENCE", fence)}`, significance: 1 });
};

/** Gives the replies in order, and then repeats the last one. */
export function inTurn(...replies: ModelReply[]): Model {
  let next = 0;
  return () => replies[Math.min(next++, replies.length - 1)]!;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part: Json) => String(part.text ?? "")).join("") : "";
}

function questionOf(path: string, headers: IncomingHttpHeaders, body: Json): ModelRequest {
  const messages = (body.messages ?? []) as { role: string; content: unknown }[];
  const said = (role: string) => textOf(messages.find((message) => message.role === role)?.content);
  return { path, headers, body, system: textOf(body.system) || said("system"), user: said("user") };
}

/** Returns an Anthropic message with the output as text if the request names a format, otherwise as a tool call. */
export function anthropicMessage(reply: ModelReply, { body }: Pick<ModelRequest, "body">): Json {
  const given = reply as { answer?: unknown; text?: string; finish?: string };
  const isTool = given.text === undefined && !(body.output_config as Json | undefined)?.format;
  const content = isTool
    ? { type: "tool_use", id: "toolu_01", name: "json", input: given.answer }
    : { type: "text", text: given.text ?? JSON.stringify(given.answer) };
  return {
    id: "msg_01Double",
    type: "message",
    role: "assistant",
    model: body.model,
    content: [content],
    stop_reason: given.finish ? "max_tokens" : isTool ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: usage.input, output_tokens: usage.output },
  };
}

function completion(reply: ModelReply, { body }: ModelRequest): Json {
  const given = reply as { answer?: unknown; text?: string; finish?: string };
  const content = given.text ?? JSON.stringify(given.answer);
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: body.model,
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: given.finish ?? "stop" }],
    usage: { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output },
  };
}

const errorBody = (message: string) => ({ type: "error", error: { type: "api_error", message } });

/** Simulated model providers: Anthropic's messages, and OpenAI-compatible chat completions. */
export class ModelDouble extends LoopbackServer {
  model: Model = () => answerWith();
  readonly requests: ModelRequest[] = [];

  static async start(): Promise<ModelDouble> {
    return new ModelDouble().start();
  }

  protected async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = (await readBody(request)).toString("utf8");
    const path = request.url ?? "";
    const isCompatible = path === "/v1/chat/completions";
    const key = isCompatible ? request.headers.authorization : request.headers["x-api-key"];
    if (key !== (isCompatible ? `Bearer ${modelKey}` : modelKey)) return sendJson(response, 401, errorBody("no key"));
    if (!isCompatible && path !== "/v1/messages") return sendJson(response, 404, errorBody("no such path"));
    const question = questionOf(path, request.headers, JSON.parse(text));
    this.requests.push(question);
    const reply = await this.model(question);
    if (reply === "silence") return;
    if (reply === "cut") {
      response.writeHead(200, { "content-type": "application/json", "content-length": "5000" });
      response.write('{"id":', () => request.socket.destroy());
      return;
    }
    if ("status" in reply) return sendJson(response, reply.status, errorBody("as ordered"), reply.headers);
    if ("body" in reply) return void response.writeHead(200, { "content-type": "application/json" }).end(reply.body);
    const message = isCompatible ? completion(reply, question) : anthropicMessage(reply, question);
    const padding = " ".repeat("padding" in reply ? (reply.padding ?? 0) : 0);
    response.writeHead(200, { "content-type": "application/json" }).end(`${JSON.stringify(message)}${padding}`);
  }
}
