import { parseUrl } from "#lib/platform/parse-url";
import { CommandFailure, misused, noAnswer } from "../failure";

const timeoutMs = 30_000;

/** The server of `--server`, and the key for it: TAPEDECK_KEY. */
export type Server = { server: string; key?: string | undefined };

const protocolPattern = /^https?:$/;
/** What a header can have, without spaces. */
const keyPattern = /^[\x21-\x7e]*$/;

/** Sends a request to a server. Throws CommandFailure if that is not a URL or does not answer, or if the key cannot be sent. */
export async function fetchServer({ server, key }: Server, path: string, init: RequestInit = {}): Promise<Response> {
  const url = parseUrl(path, server);
  if (!url || !protocolPattern.test(url.protocol))
    throw new CommandFailure(`--server ${server} is not a URL with http:// or https://.`, misused);
  if (key && !keyPattern.test(key)) throw new CommandFailure("TAPEDECK_KEY has a character that no key has.", misused);
  const headers = { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) };
  const response = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(timeoutMs) }).catch(
    () => undefined,
  );
  if (!response) throw new CommandFailure(`${url} does not answer.`, noAnswer);
  return response;
}

/** Throws CommandFailure if a server does not know the key: some of its lists ignore the header. */
export async function requireKnownKey(server: Server): Promise<void> {
  const { status, url } = await fetchServer(server, "/api/v1/keys");
  if (status === 401) throw new CommandFailure(`${server.server} does not accept the key in TAPEDECK_KEY.`, noAnswer);
  if (status >= 500) throw new CommandFailure(`${url} answered ${status}.`, noAnswer);
}
