import type { IncomingMessage, ServerResponse } from "node:http";
import { converseStream } from "#tests/support/aws-event-stream";
import { LoopbackServer, readBody, sendJson } from "#tests/support/loopback-server";

/** A double of the providers of models: each host is answered in the protocol of the path. */
export class EveryProvider extends LoopbackServer {
  readonly asked: string[] = [];
  readonly #text: string;

  constructor(text: string) {
    super();
    this.#text = text;
  }

  protected async answer(request: IncomingMessage, response: ServerResponse) {
    const { url = "", headers } = request;
    const body = JSON.parse((await readBody(request)).toString("utf8") || "{}");
    this.asked.push(`${headers.host}${url}`);
    const [path = ""] = url.split("?");
    if (path.endsWith("/converse-stream")) return this.#streamConverse(response);
    if (path.endsWith("/chat/completions") && body.stream) return this.#streamChat(response);
    sendJson(response, 200, this.#answerTo(path));
  }

  #answerTo(path: string): object {
    const text = this.#text;
    const counts = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    if (path.endsWith("/chat/completions")) {
      const choice = { index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" };
      return { id: "c1", object: "chat.completion", created: 1, model: "m", choices: [choice], usage: counts };
    }
    if (path.endsWith("/responses")) {
      const content = [{ type: "output_text", text, annotations: [] }];
      const output = [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }];
      const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
      return { id: "resp_1", object: "response", created_at: 1, status: "completed", model: "m", output, usage };
    }
    const usage = { input_tokens: 1, output_tokens: 1 };
    if (path.endsWith("/messages") || path.endsWith("/invoke"))
      return {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [{ type: "text", text }],
        stop_reason: "end_turn",
        stop_sequence: null,
        usage,
      };
    if (path.endsWith(":generateContent"))
      return { candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP", index: 0 }] };
    if (path.endsWith("/api/chat"))
      return {
        model: "m",
        created_at: "2026-01-01T00:00:00Z",
        message: { role: "assistant", content: text },
        done: true,
      };
    if (path.endsWith("/converse"))
      return {
        output: { message: { role: "assistant", content: [{ text }] } },
        stopReason: "end_turn",
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        metrics: { latencyMs: 1 },
      };
    // Cohere's.
    const message = { role: "assistant", content: [{ type: "text", text }] };
    return { id: "c1", finish_reason: "COMPLETE", message, usage: { tokens: usage, billed_units: usage } };
  }

  #streamChat(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const part of this.#text.split(/(?= )/)) {
      const choices = [{ index: 0, delta: { content: part }, finish_reason: null }];
      response.write(`data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", model: "m", choices })}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  }

  #streamConverse(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
    response.end(converseStream(this.#text));
  }
}
