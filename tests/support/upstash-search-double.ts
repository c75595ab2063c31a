import type { IncomingMessage, ServerResponse } from "node:http";
import { LoopbackServer, readBody, sendJson } from "./loopback-server";

export const upstashSearchToken = "test-token-of-upstash-search";

/** Behaviour of the double: normal, responding with 500, closing the connection, never responding, or invalid JSON. */
export type UpstashSearchMode = "fine" | "down" | "cut" | "slow" | "garbage";

type Content = Record<string, string>;
type Metadata = Record<string, string>;
type Stored = { id: string; content: Content; metadata?: Metadata };
type SearchBody = { query: string; topK: number; filter?: string; includeData?: boolean; includeMetadata?: boolean };
type RangeBody = { cursor: string | number; limit: number; prefix?: string };

/** Longest accepted content, in characters, and most documents per upsert. */
const maxContentLength = 4_096;
const maxUpsertCount = 1_000;

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Returns whether a document matches `<field> IN ('a', 'b')` or `<field> = 'a'`, the only filters in use. */
function matches({ content, metadata }: Stored, filter: string): boolean {
  const [, field = "", list, single] = /^(\S+) (?:IN \(([^)]*)\)|= '([^']*)')$/.exec(filter) ?? [];
  if (!field) throw new Refusal(400, `Invalid filter: ${filter}`);
  const value = field.startsWith("@metadata.") ? metadata?.[field.slice("@metadata.".length)] : content[field];
  const allowed = single === undefined ? [...(list ?? "").matchAll(/'([^']*)'/g)].map((match) => match[1]) : [single];
  return allowed.includes(value);
}

/** A double of Upstash Search's REST API, as used by @upstash/search. It ranks by the share of matching query words. */
export class UpstashSearchDouble extends LoopbackServer {
  mode: UpstashSearchMode = "fine";
  /** Received calls in order: `search`, `range`, `upsert-data`, `delete`. */
  readonly calls: string[] = [];
  /** Bodies of the received searches. */
  readonly searches: SearchBody[] = [];
  /** Documents of each index, by id. */
  readonly indexes = new Map<string, Map<string, Stored>>();
  #onCall: ((name: string) => void) | undefined;

  static start(): Promise<UpstashSearchDouble> {
    return new UpstashSearchDouble().start();
  }

  /** Environment variables for the app. */
  get environment(): Record<string, string> {
    return { UPSTASH_SEARCH_REST_URL: this.origin, UPSTASH_SEARCH_REST_TOKEN: upstashSearchToken };
  }

  /** Resolves when the next call with a name arrives. */
  nextCall(name: string): Promise<void> {
    return new Promise((settle) => {
      this.#onCall = (arrived) => {
        if (arrived === name) settle();
      };
    });
  }

  documentsOf(index: string): Map<string, Stored> {
    const known = this.indexes.get(index) ?? new Map<string, Stored>();
    this.indexes.set(index, known);
    return known;
  }

  protected async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await readBody(request);
    const [, name = "", index = ""] = (request.url ?? "").split("/");
    this.calls.push(name);
    this.#onCall?.(name);
    if (this.mode === "cut") return void request.socket.destroy();
    if (this.mode === "slow") return;
    if (this.mode === "down") return sendJson(response, 500, { error: "Internal Server Error", status: 500 });
    if (this.mode === "garbage") return void response.end("<html>Bad gateway</html>");
    if (request.headers.authorization !== `Bearer ${upstashSearchToken}`) {
      return sendJson(response, 401, { error: "Unauthorized: Invalid auth token", status: 401 });
    }
    try {
      const body = JSON.parse(String(bytes));
      sendJson(response, 200, { result: this.#run(name, this.documentsOf(decodeURIComponent(index)), body) });
    } catch (error) {
      const { status, message } = error instanceof Refusal ? error : { status: 400, message: "Malformed request" };
      sendJson(response, status, { error: message, status });
    }
  }

  #run(name: string, documents: Map<string, Stored>, body: unknown): unknown {
    switch (name) {
      case "search":
        return this.#search(documents, body as SearchBody);
      case "upsert-data":
        return this.#upsert(documents, body as Stored[]);
      case "range":
        return this.#range(documents, body as RangeBody);
      case "delete":
        return { deleted: (body as { ids: string[] }).ids.filter((id) => documents.delete(id)).length };
      default:
        throw new Refusal(404, "Not Found");
    }
  }

  #search(documents: Map<string, Stored>, body: SearchBody) {
    const { query, topK, filter, includeData, includeMetadata } = body;
    this.searches.push(body);
    if (!query) throw new Refusal(400, "Query cannot be empty");
    if (topK < 1 || topK > 1_000) throw new Refusal(400, "topK must be between 1 and 1000");
    const queryWords = wordsOf(query);
    const scored = [...documents.values()]
      .filter((document) => filter === undefined || matches(document, filter))
      .map((document) => {
        const words = new Set(wordsOf(Object.values(document.content).join(" ")));
        return { document, score: queryWords.filter((word) => words.has(word)).length / queryWords.length };
      });
    return scored
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, topK)
      .map(({ document: { id, content, metadata }, score }) => ({
        id,
        score,
        ...(includeData ? { content } : {}),
        ...(includeMetadata ? { metadata } : {}),
      }));
  }

  #upsert(documents: Map<string, Stored>, body: Stored[]): string {
    if (body.length > maxUpsertCount) throw new Refusal(422, `At most ${maxUpsertCount} documents can be upserted`);
    for (const { id, content } of body) {
      if (!id) throw new Refusal(422, "Document id cannot be empty");
      const length = Object.values(content).join("").length;
      if (length > maxContentLength) throw new Refusal(422, `Content of ${id} has ${length} characters`);
    }
    for (const document of body) documents.set(document.id, document);
    return "Success";
  }

  #range(documents: Map<string, Stored>, { cursor, limit, prefix = "" }: RangeBody) {
    if (limit < 1 || limit > 1_000) throw new Refusal(422, "Limit must be between 1 and 1000");
    const ids = [...documents.keys()].filter((id) => id.startsWith(prefix)).sort();
    const from = Number(cursor);
    const vectors = ids.slice(from, from + limit).map((id) => documents.get(id));
    return { nextCursor: from + limit < ids.length ? String(from + limit) : "", vectors };
  }
}
