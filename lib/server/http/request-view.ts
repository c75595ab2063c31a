/** What the house reads of a request, whichever server it came through. */
export type RequestView = {
  method: string;
  /** Path and query as sent. */
  target: string;
  header: (name: string) => string | null;
  headers: () => Headers;
  /** Whether the connection itself is TLS. */
  encrypted: boolean;
  /** Who is at the other end of the connection, where the server knows; a route handler has a header instead. */
  socketAddress?: string | undefined;
  /** Decoded path parameters. */
  params: Record<string, string>;
  /** Aborted when the client goes away. */
  signal: () => AbortSignal;
  /** Reads at most `limit` bytes; null where the body is larger. */
  readBody: (limit: number) => Promise<Uint8Array | null>;
};

/** The query of a request target. */
export function queryOf(target: string): URLSearchParams {
  const start = target.indexOf("?");
  return new URLSearchParams(start < 0 ? "" : target.slice(start + 1));
}

/** The path of a request target, without the query, which may hold secrets. */
export function pathOf(target: string): string {
  const start = target.indexOf("?");
  return start < 0 ? target : target.slice(0, start);
}
