/** A request, independent of the server that received it. */
export type RequestView = {
  method: string;
  /** Path and query as sent. */
  target: string;
  header: (name: string) => string | null;
  headers: () => Headers;
  /** Whether the connection itself is TLS. */
  encrypted: boolean;
  /** Remote address of the connection. Undefined in route handlers, which have a header instead. */
  socketAddress?: string | undefined;
  /** Decoded path parameters. */
  params: Record<string, string>;
  /** Aborted when the client disconnects. */
  signal: () => AbortSignal;
  /** Reads at most `limit` bytes. Returns null if the body is larger. */
  readBody: (limit: number) => Promise<Uint8Array | null>;
};

/** Returns the query of a request target. */
export function queryOf(target: string): URLSearchParams {
  const start = target.indexOf("?");
  return new URLSearchParams(start < 0 ? "" : target.slice(start + 1));
}

/** Returns the path of a request target, without the query, which may contain secrets. */
export function pathOf(target: string): string {
  const start = target.indexOf("?");
  return start < 0 ? target : target.slice(0, start);
}
