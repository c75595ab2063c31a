import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { converseStream } from "#tests/support/aws-event-stream";
import { type Json, protocols } from "#tests/support/conversation-protocols";
import { LoopbackServer, readBody, sendJson } from "#tests/support/loopback-server";

/** How the paths of protocols end. */
const endings = [
  ["/chat/completions", "chat"],
  ["/responses", "responses"],
  ["/messages", "anthropic"],
  ["/invoke", "anthropic"],
  [":generateContent", "gemini"],
  ["/api/chat", "ollama"],
] as const;

/** A double of the providers of models: each host is answered in the protocol of the path. */
export class EveryProvider extends LoopbackServer {
  readonly asked: string[] = [];
  readonly #text: string;
  readonly #sockets = new WebSocketServer({ noServer: true });

  constructor(text: string) {
    super();
    this.#text = text;
  }

  protected async handle(request: IncomingMessage, response: ServerResponse) {
    const { url = "", headers } = request;
    const body = JSON.parse((await readBody(request)).toString("utf8") || "{}");
    this.asked.push(`${headers.host}${url}`);
    const [path = ""] = url.split("?");
    if (path.endsWith("/converse-stream")) return this.#streamConverse(response);
    const answer = this.#answerTo(path);
    if (!path.endsWith("/chat/completions") || !body.stream) return sendJson(response, 200, answer);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(protocols.chat.provider.unfold(answer).events.join(""));
  }

  protected override upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
    this.asked.push(`${request.headers.host}${request.url}`);
    this.#sockets.handleUpgrade(request, socket, head, (client) => {
      client.on("message", () => client.send(JSON.stringify({ type: "response.done", text: this.#text })));
    });
  }

  #answerTo(path: string): Json {
    const text = this.#text;
    const [, name] = endings.find(([ending]) => path.endsWith(ending)) ?? [];
    if (name) return protocols[name].answerOf({ text, calls: [] }, "1");
    if (path.endsWith("/converse"))
      return {
        output: { message: { role: "assistant", content: [{ text }] } },
        stopReason: "end_turn",
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        metrics: { latencyMs: 1 },
      };
    // Cohere's.
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { role: "assistant", content: [{ type: "text", text }] };
    return { id: "c1", finish_reason: "COMPLETE", message, usage: { tokens: usage, billed_units: usage } };
  }

  #streamConverse(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
    response.end(converseStream(this.#text));
  }
}
