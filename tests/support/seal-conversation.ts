import { answerRequest, hashForMatch, omitShared } from "#lib/replay/cassettes/request";
import { sealCassette, serializeCassette } from "#lib/replay/cassettes/seal-cassette";
import type { Provider } from "#lib/replay/providers/index";
import type { Json, Protocol, Result, Turn } from "./conversation-protocols";
import { authoredProvenance } from "./sample-cassette";
import type { Adapter } from "./serve";
import { type ServedFolder, serveFiles } from "./serve-files";

export type Draft = Parameters<typeof sealCassette>[0];
export type Sealed = ReturnType<typeof sealCassette>;

/** Returns the id of a test's cassette; the default site has those of this folder. */
export function idOf(name: string): string {
  return `developer-tools/${name}`;
}

/** Returns the name by which clients choose a cassette, as the model or as the API key. */
export function modelOf(name: string): string {
  return `cassette:${idOf(name)}`;
}

const pieceSizes = [1, 7, 64, 3, 201];

/** Divides a body into pieces that end within events and characters. */
function cut(text: string | Uint8Array): Draft["chunks"] {
  const body = Buffer.from(text as Uint8Array);
  const chunks: Draft["chunks"] = [];
  for (let start = 0; start < body.length; ) {
    const end = start + (pieceSizes[chunks.length % pieceSizes.length] as number);
    chunks.push({ deltaMs: 2, bytes: body.subarray(start, end) });
    start = end;
  }
  return chunks;
}

type Recorded = {
  request: Draft["request"];
  status?: number;
  headers: Record<string, string>;
  body: string | Uint8Array;
  end?: Draft["end"];
};

/** Returns a cassette whose body is cut within events and characters. */
export function sealed(name: string, { provider }: Pick<Protocol, "provider">, recorded: Recorded): Sealed {
  const { request, status = 200, headers, body, end = "complete" } = recorded;
  return sealCassette({
    id: idOf(name),
    title: name,
    subtitle: "For the tests (authored)",
    provider,
    provenance: authoredProvenance,
    request,
    response: { status, headers },
    chunks: cut(body),
    end,
  });
}

type Call = {
  method?: "GET" | "POST" | "DELETE";
  path: string;
  query?: string;
  request?: Json;
  answer: string | Uint8Array | Json;
  /** Default: JSON. */
  type?: string;
  headers?: Record<string, string>;
};

/** Returns a cassette of one call of any kind. */
export function sealCall(name: string, provider: Provider, call: Call): Sealed {
  const { method = "POST", path, query = "", request, answer, type = "application/json", headers } = call;
  const isWritten = typeof answer === "string" || answer instanceof Uint8Array;
  const recorded = {
    request: { method, path, query, body: request ? { json: request as never } : null, redactions: [] },
    headers: { "content-type": type, ...headers },
    body: isWritten ? answer : JSON.stringify(answer),
  };
  return sealed(name, { provider }, recorded);
}

function streamed({ provider }: Protocol, request: Json): Json {
  return provider.name === "gemini" ? request : { ...request, stream: true };
}

type Parent = { id: string; body: Json; answers: number };
type Exchange = { request: Json; answer: Json; parent?: Parent | undefined };

/** Returns a request and the stream of its answer. What the request has in common with its parent's is left out. */
export function streamCassette(name: string, protocol: Protocol, { request, answer, parent }: Exchange): Sealed {
  const { provider, headers } = protocol;
  const { contentType, events } = provider.unfold(answer);
  const response = { headers: { "content-type": contentType, ...headers }, body: events.join("") };
  const body = streamed(protocol, request);
  const complete = answerRequest(provider, body);
  if (!parent) return sealed(name, protocol, { ...response, request: complete });
  const { parent: link, body: rest } = omitShared(body, parent, provider.historyField);
  const { answers } = parent;
  const continued = { ...link, answers, match_sha256: hashForMatch(provider, complete) };
  return sealed(name, protocol, { ...response, request: { ...answerRequest(provider, rest), parent: continued } });
}

type Conversation = { prompt: string; turns: readonly Turn[]; runTool: (name: string, input: Json) => string };

/** Returns the complete requests of a conversation's turns, and its cassettes: `<name>-1`, `-2` and so on. */
export function sealConversation(
  name: string,
  protocol: Protocol,
  { prompt, turns, runTool }: Conversation,
): { requests: Json[]; cassettes: Sealed[] } {
  const requests: Json[] = [];
  const cassettes: Sealed[] = [];
  let request = protocol.requestOf(prompt);
  let parent: Parent | undefined;
  for (const [index, turn] of turns.entries()) {
    const number = index + 1;
    const answer = protocol.answerOf(turn, `${name}_${number}`);
    requests.push(request);
    cassettes.push(streamCassette(`${name}-${number}`, protocol, { request, answer, parent }));
    parent = { id: idOf(`${name}-${number}`), body: request, answers: number };
    const results = turn.calls.map(({ id, name, input }): Result => ({ id, name, output: runTool(name, input) }));
    request = protocol.continue(request, answer, results);
  }
  return { requests, cassettes };
}

/** Returns the app with these cassettes, without a database. Stopping it removes the files. */
export function serveSealed(adapter: Adapter, cassettes: Iterable<Sealed>): Promise<ServedFolder> {
  return serveFiles(adapter, new Map([...cassettes].map((each) => [each.id, serializeCassette(each)])));
}
