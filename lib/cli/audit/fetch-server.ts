import { parseUrl } from "#lib/platform/parse-url";
import { CommandFailure, misused, noAnswer } from "../failure";

const timeoutMs = 30_000;

/** Sends a request to the server of `--server`. Throws CommandFailure if that is not a URL or does not answer. */
export async function fetchServer(server: string, path: string, init: RequestInit = {}): Promise<Response> {
  const url = parseUrl(path, server);
  if (!url) throw new CommandFailure(`--server ${server} is not a URL.`, misused);
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) }).catch(() => undefined);
  if (!response)
    throw new CommandFailure(`${url} does not answer. Without --server, the bundled catalogue is used.`, noAnswer);
  return response;
}
