import { isIP, type LookupFunction } from "node:net";
import { Client } from "undici";
import { type Connections, closeConnection } from "./connections";
import { OutboundError } from "./outbound-error";
import { acceptedEncodings } from "./read-body";

/** Limits of a response's headers. */
export const maxHeaderByteSize = 32 * 1024;
const maxHeaderCount = 200;
/** Time for one address before the next is tried, in milliseconds. */
const addressAttemptTimeoutMs = 1_000;

export type HopRequest = {
  url: URL;
  method: "GET" | "POST";
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | undefined;
};

export type HopResponse = {
  status: number;
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
  /** Closes the connection, even in the middle of the body; after the whole body it is kept, if connections are. */
  release(): Promise<void>;
};

/** Returns a lookup that returns only the checked addresses, even if the name now resolves to others. */
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

// The caller limits the times: undici's own timers have a resolution of seconds.
const openClient = ({ origin }: URL, addresses: readonly string[]) =>
  new Client(origin, {
    connect: { lookup: pinnedTo(addresses), timeout: 0 },
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressAttemptTimeoutMs,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: maxHeaderByteSize,
  });

/**
 * Sends one request to one of the given addresses, over a connection of `connections` or a new one, and returns when the
 * headers have arrived. Follows no redirects and decodes nothing. Throws OutboundError and undici's errors.
 */
export async function sendHop(
  { url, method, headers, body }: HopRequest,
  addresses: readonly string[],
  { signal, connections }: { signal: AbortSignal; connections?: Connections | undefined },
): Promise<HopResponse> {
  const target = [url.origin, ...addresses.toSorted()].join(" ");
  const client = connections?.take(target) ?? openClient(url, addresses);
  try {
    const path = `${url.pathname}${url.search}`;
    const sent = { "accept-encoding": acceptedEncodings, ...headers };
    const response = await client.request({ path, method, body, signal, headers: sent });
    const release = async () => {
      if (connections && response.body.readableEnded) await connections.keep(target, client);
      else await closeConnection(client);
    };
    return { status: response.statusCode, headers: flatten(response.headers, url.host), body: response.body, release };
  } catch (error) {
    await closeConnection(client);
    throw error;
  }
}
