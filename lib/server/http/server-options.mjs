/** Options of the self-hosted server, in the names and units of `node:http`: milliseconds and bytes. */
export const serverOptions = {
  /** Time for a request to arrive completely. */
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  /**
   * Time that an idle connection stays open for another request. Longer than proxies and clients keep theirs, because a
   * request on a connection that is being closed fails.
   */
  keepAliveTimeout: 65_000,
  /** By default Node enforces the two time-outs for requests only every 30 seconds. */
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
  /** The handler before Next answers a missing header with a JSON error. */
  requireHostHeader: false,
};

/** Seconds for the requests in progress at a stop. */
export const stopGraceOption = { "stop-grace": { type: "string", default: "2" } };

/** Bytes of each process in the file with the last requests. */
export const lastRequestByteSize = 200;
