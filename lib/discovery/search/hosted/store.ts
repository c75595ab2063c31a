import * as z from "zod";
import { type Config, config } from "#lib/platform/config";
import { processSingleton } from "#lib/platform/process-singleton";
import { withTimeout } from "#lib/platform/with-timeout";
import { anyVertical, type Passage } from "./passages";

export type HostedMatch = { document: string; score: number };
export type HostedEntry = { id: string; hash: string };

/** The hosted index. All calls throw if the service does not respond in time or responds with unexpected data. */
export type HostedIndex = {
  /** Searches the passages of a vertical and of pages; returns their documents, best first. */
  search(query: string, options: { vertical: string; limit: number; timeoutMs: number }): Promise<HostedMatch[]>;
  /** Returns one page of our entries; `nextCursor` is empty on the last page. */
  list(cursor: string): Promise<{ entries: HostedEntry[]; nextCursor: string }>;
  upsert(passages: readonly Passage[]): Promise<void>;
  delete(ids: readonly string[]): Promise<void>;
};

type HostedSettings = { url: string; token: string; name: string };

/** Entries per page of a listing. */
const listCount = 200;
/** Timeout of background calls, in milliseconds. */
const syncTimeoutMs = 15_000;
/** Longest logged reason, in characters. */
const maxReasonLength = 300;

const matchesSchema = z.array(z.object({ score: z.number(), metadata: z.object({ document: z.string() }) }));
const listSchema = z.object({
  nextCursor: z.string(),
  documents: z.array(
    z.object({
      id: z.string(),
      metadata: z.object({ document: z.string(), hash: z.string() }).optional().catch(undefined),
    }),
  ),
});

/** Returns a loggable error: short, and without the token, which the runtime quotes if it is malformed. */
function loggableError(error: unknown, token: string): Error {
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined };
  const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
  return new Error(reason.replaceAll(token, "<token>").slice(0, maxReasonLength));
}

/** An index at Upstash Search. Calls are not retried: a search falls back to memory, and a sync starts over. */
export function upstashIndex({ url, token, name }: HostedSettings): HostedIndex {
  const opened = (async () => {
    const { Search } = await import("@upstash/search");
    const client = new Search({ url, token, retry: { retries: 0 }, enableTelemetry: false });
    return client.index<Passage["content"], Passage["metadata"]>(encodeURIComponent(name));
  })();
  // Failures surface in the calls, which all await it.
  opened.catch(() => undefined);

  type Index = Awaited<typeof opened>;
  async function call<T>(run: (index: Index) => Promise<T>, timeoutMs = syncTimeoutMs): Promise<T> {
    try {
      return await withTimeout(timeoutMs, () => opened.then(run));
    } catch (error) {
      throw loggableError(error, token);
    }
  }

  return {
    search: (query, { vertical, limit, timeoutMs }) =>
      call(async (index) => {
        const filter = { "@metadata.vertical": { in: [vertical, anyVertical] } };
        const matches = matchesSchema.parse(await index.search({ query, limit, filter }));
        return matches.map(({ score, metadata }) => ({ document: metadata.document, score }));
      }, timeoutMs),
    list: (cursor) =>
      call(async (index) => {
        const { documents, nextCursor } = listSchema.parse(await index.range({ cursor, limit: listCount }));
        const entries = documents.flatMap(({ id, metadata }) => (metadata ? { id, hash: metadata.hash } : []));
        return { entries, nextCursor };
      }),
    upsert: (passages) => call(async (index) => void (await index.upsert([...passages]))),
    delete: (ids) => call(async (index) => void (await index.delete([...ids]))),
  };
}

/** Returns the configured hosted index; undefined if one of its two variables is missing. */
function configuredHostedIndex(settings: Config): HostedIndex | undefined {
  const { UPSTASH_SEARCH_REST_URL: url, UPSTASH_SEARCH_REST_TOKEN: token, UPSTASH_SEARCH_INDEX: name } = settings;
  return url && token ? upstashIndex({ url, token, name }) : undefined;
}

/** Returns the process's hosted index, if one is configured. */
export function hostedIndex(): HostedIndex | undefined {
  return processSingleton("hosted-search-index", () => ({ index: configuredHostedIndex(config()) })).index;
}
