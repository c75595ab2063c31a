import { isIP, type LookupFunction } from "node:net";
import { Client } from "undici";
import { OutboundError } from "./outbound-error";
import { acceptedEncodings } from "./read-body";

/** Bounds of an answer's headers. */
const maxHeaderByteSize = 32 * 1024;
const maxHeaderCount = 200;
/** Wait for one address of several before the next is tried, in milliseconds. */
const addressAttemptTimeoutMs = 1_000;

/** Without it each ending would make an error of its own, whose stack costs more than the request. */
const connectionEnded = new Error("the connection was ended");

export type HopRequest = {
  url: URL;
  method: "GET" | "POST";
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | undefined;
};

export type HopAnswer = {
  status: number;
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
  /** Ends the connection, whatever is still on its way. */
  close(): Promise<void>;
};

/** Knows no other addresses than these: whatever the name means by now, the connection goes to one that was checked. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    if (options.all) callback(null, entries);
    else callback(null, entries[0]?.address ?? "", entries[0]?.family);
  };
}

function flatten(headers: Record<string, string | string[] | undefined>, host: string): Record<string, string> {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const count = pairs.reduce((sum, [, value]) => sum + (Array.isArray(value) ? value.length : 1), 0);
  if (count > maxHeaderCount) throw new OutboundError("too_large", `${host} sent more than ${maxHeaderCount} headers`);
  return Object.fromEntries(pairs.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]));
}

/**
 * Sends one request over a connection of its own, to one of the given addresses, and comes back with the answer's
 * headers. Redirects are not followed and nothing is decoded. Throws OutboundError and undici's errors.
 */
export async function sendHop(
  { url, method, headers, body }: HopRequest,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<HopAnswer> {
  // The times are kept by the caller: undici's own timers count in seconds.
  const client = new Client(url.origin, {
    connect: { lookup: pinnedTo(addresses), timeout: 0 },
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressAttemptTimeoutMs,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: maxHeaderByteSize,
  });
  const close = () => client.destroy(connectionEnded);
  try {
    const path = `${url.pathname}${url.search}`;
    const sent = { "accept-encoding": acceptedEncodings, ...headers };
    // `reset` says that the connection ends with this answer.
    const answer = await client.request({ path, method, body, signal, headers: sent, reset: true });
    return { status: answer.statusCode, headers: flatten(answer.headers, url.host), body: answer.body, close };
  } catch (error) {
    await close();
    throw error;
  }
}
