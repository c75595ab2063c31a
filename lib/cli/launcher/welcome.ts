const anyAddress = new Set(["0.0.0.0", "::", "localhost"]);

/** Where a browser on this machine finds the server. */
export function addressOf(host: string, port: number): string {
  const name = anyAddress.has(host) ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** What a newcomer reads once the server answers; `tookMs` counts from the start of the command. */
export function welcome(address: string, tookMs: number): string {
  return `
Tapedeck runs at ${address} (ready after ${(tookMs / 1_000).toFixed(1)} s)

Three things to try:
  curl -N ${address}/api/v1/replay/developer-tools/explain-sse
      a model's response, streamed with the timing it was given
  curl ${address}/api/v1/cassettes
      everything that can be replayed on this site
  ${address}/docs
      the documentation, in your browser

Ctrl-C stops it.
`;
}
