const anyAddress = new Set(["0.0.0.0", "::", "localhost"]);

/** Returns the URL of the server for a browser on this machine. */
export function addressOf(host: string, port: number): string {
  const name = anyAddress.has(host) ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** Returns what `up` prints when the server is ready. `tookMs` counts from the start of the command. */
export function welcome(address: string, { tookMs, steps }: { tookMs: number; steps: string }): string {
  return `
Tapedeck is running at ${address} (ready after ${(tookMs / 1_000).toFixed(1)} s: ${steps})

Three things to try:
  curl -NL ${address}/api/v1/replay/random
      streams an LLM response with its timing
  curl ${address}/api/v1/cassettes
      lists everything that this site can replay
  ${address}/docs
      shows the documentation in your browser

Press Ctrl-C to stop.
`;
}
