import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { hashJson, joinParent, objectOf, parseCassette, type VerifiedCassette } from "#lib/replay/cassettes/index";
import { type Provider, requireProvider } from "#lib/replay/providers/index";
import { type Json, protocols } from "#tests/support/conversation-protocols";
import { type ProviderDouble, startProvider } from "#tests/support/provider-double";
import { root } from "../processes";

const bundled = join(root, "content/cassettes");

/** A request to a provider, and the stream that answers it. */
export type Stream = {
  name: string;
  provider: Provider;
  path: string;
  query: string;
  body: Json;
  contentType: string;
  bytes: Buffer;
};

/** Returns the streams of the project's cassettes, with their complete requests as SDKs send them. */
export function bundledStreams(): Stream[] {
  const files = readdirSync(bundled, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  const all = files.sort().map((file): VerifiedCassette => parseCassette(readFileSync(join(bundled, file))));
  const byId = new Map(all.map((each) => [each.cassette.id, each]));
  const complete = ({ cassette: { request } }: VerifiedCassette): Json => {
    const parent = request.parent && byId.get(request.parent.id);
    return (parent ? joinParent(request, complete(parent)) : objectOf(request.body)) ?? {};
  };
  return all.map((each) => {
    const { cassette } = each;
    const { id, request, response } = cassette;
    const provider = requireProvider(cassette.provider);
    const isGemini = provider.name === "gemini";
    const bytes = Buffer.concat(each.chunks.map((chunk) => chunk.bytes));
    const body = complete(each);
    return {
      name: id,
      provider,
      path: request.path,
      query: isGemini ? "alt=sse" : "",
      // Both servers need a model; the authored requests of some have none.
      body: isGemini ? body : { model: "authored-1", max_tokens: 1024, ...body, stream: true },
      contentType: response.headers["content-type"] ?? provider.stream.contentType,
      bytes,
    };
  });
}

/** Returns a stream of a short answer to a prompt, with a system prompt and tools. */
export function promptStream(name: "anthropic" | "chat", prompt: string): Stream {
  const { provider, requestOf, answerOf } = protocols[name];
  const request: Json = { ...requestOf(prompt), stream: true };
  const system = "You are a travel agent. Be brief.";
  const messages = [{ role: "system", content: system }, ...(request.messages as Json[])];
  const body = { ...request, ...(name === "anthropic" ? { system } : { messages }) };
  const answer = answerOf({ text: `The answer to ${JSON.stringify(prompt)}. `.repeat(4), calls: [] }, hashJson(prompt));
  const { contentType, events } = provider.unfold(answer);
  const { path } = provider.upstream.pathOf(body, { model: undefined, isStream: true });
  return { name: prompt, provider, path, query: "", body, contentType, bytes: Buffer.from(events.join("")) };
}

/** Starts a provider on the loopback that answers the requests of these streams, each within `durationMs`. */
export function startUpstream(streams: readonly Stream[], durationMs = 0): Promise<ProviderDouble> {
  const keyOf = (path: string, body: unknown) => hashJson([path, body]);
  const known = new Map(streams.map((stream) => [keyOf(stream.path, stream.body), stream]));
  return startProvider(async (response, { path, body }) => {
    const { pathname } = new URL(path, "http://127.0.0.1");
    const stream = known.get(keyOf(pathname, JSON.parse(body)));
    if (!stream) {
      response.writeHead(400, { "content-type": "application/json" });
      return void response.end('{"error":{"message":"The upstream does not know this request."}}');
    }
    if (durationMs > 0) await wait(durationMs / 2);
    response.writeHead(200, { "content-type": stream.contentType });
    if (durationMs === 0) return void response.end(stream.bytes);
    const middle = Math.floor(stream.bytes.length / 2);
    response.write(stream.bytes.subarray(0, middle));
    await wait(durationMs / 2);
    response.end(stream.bytes.subarray(middle));
  });
}
