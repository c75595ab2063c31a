import { parseUrl } from "#lib/platform/parse-url";
import { CommandFailure, misused, noAnswer } from "../failure";

const timeoutMs = 30_000;

/** The server of `--server`, and the key for it: TAPEDECK_KEY. */
export type Server = { server: string; key?: string | undefined };

/** Sends a request to a server. Throws CommandFailure if that is not a URL or does not answer. */
export async function fetchServer({ server, key }: Server, path: string, init: RequestInit = {}): Promise<Response> {
  const url = parseUrl(path, server);
  if (!url) throw new CommandFailure(`--server ${server} is not a URL.`, misused);
  const headers = { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) };
  const response = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(timeoutMs) }).catch(
    () => undefined,
  );
  if (!response) throw new CommandFailure(`${url} does not answer.`, noAnswer);
  return response;
}
