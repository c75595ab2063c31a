import { tokenHeader } from "#lib/replay/recording-proxy/index";
import type { Json, Protocol } from "./conversation-protocols";
import { question, runTool, turnsOf } from "./conversation-protocols";
import { type Answer, streamOf } from "./provider-double";

/** Name at the proxy, and the variable that names the upstream. */
export const upstreamNames: Record<string, readonly [string, string]> = {
  anthropic: ["anthropic", "ANTHROPIC_BASE_URL"],
  "openai-chat": ["openai", "OPENAI_BASE_URL"],
  "openai-responses": ["openai", "OPENAI_BASE_URL"],
  gemini: ["gemini", "GOOGLE_GEMINI_BASE_URL"],
  ollama: ["ollama", "OLLAMA_HOST"],
};

/** Returns the answers of a conversation, turn by turn. */
export function turnAnswers(protocol: Protocol): Json[] {
  return turnsOf(protocol.callIds).map((turn, index) => protocol.answerOf(turn, `t${index}`));
}

/** Streams an answer as the provider does. */
export function streamAnswer({ provider, headers }: Protocol, body: Json): Answer {
  const { contentType, events } = provider.unfold(body);
  return streamOf(Buffer.from(events.join("")), {
    chunkBytes: 60,
    headers: { "content-type": contentType, ...headers },
  });
}

export type Received = { status: number; headers: Record<string, string>; text: string };

/** Headers of a connection, which differ from server to server. */
const connectionHeaders = ["connection", "date", "keep-alive", "transfer-encoding"];

/** Where a test sends its requests: the URL of a test at a proxy, without the name of an upstream. */
export type TestUrl = string;

/** Returns the URL of a test at a proxy. */
export function testUrl(origin: string, test: string): TestUrl {
  return `${origin}/t/${encodeURIComponent(test)}`;
}

/** Calls the control API for a test. */
export async function control(url: TestUrl, token: string, action: string, body: Json = {}): Promise<Json> {
  const init = { method: "POST", headers: { [tokenHeader]: token }, body: JSON.stringify(body) };
  const response = await fetch(`${url}/__tapedeck/${action}`, init);
  return (await response.json()) as Json;
}

/** Sends a request to a path below a test's URL. A cut answer has the text `cut` at its end. */
export async function sendTo(url: string, init: RequestInit = {}): Promise<Received> {
  const response = await fetch(url, { method: "POST", ...init });
  const headers = [...response.headers].filter(([name]) => !connectionHeaders.includes(name));
  let text = "";
  try {
    for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>)
      text += Buffer.from(piece).toString("latin1");
  } catch {
    text += "(cut)";
  }
  return {
    status: response.status,
    headers: Object.fromEntries(headers),
    text: Buffer.from(text, "latin1").toString(),
  };
}

/** Sends a request of a protocol. */
export function ask({ provider }: Protocol, url: TestUrl, body: Json, headers: Record<string, string> = {}) {
  const [name = ""] = upstreamNames[provider.name] ?? [];
  const { path, query } = provider.upstream.pathOf(body, { model: "m-1", isStream: true });
  const streamed = provider.name === "gemini" ? body : { ...body, stream: true };
  return sendTo(`${url}/${name}${path}${query === "" ? "" : `?${query}`}`, {
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(streamed),
  });
}

/** Returns the requests of a conversation, turn by turn. The tools return what `run` does. */
export function turnRequests(protocol: Protocol, prompt = question, run = runTool): Json[] {
  const answers = turnAnswers(protocol);
  const requests = [protocol.requestOf(prompt)];
  for (const [index, turn] of turnsOf(protocol.callIds).entries()) {
    const results = turn.calls.map(({ id, name, input }) => ({ id, name, output: run(name, input) }));
    requests.push(protocol.continue(requests[index] ?? {}, answers[index] ?? {}, results));
  }
  return requests.slice(0, -1);
}
