import type { Provider } from "#lib/replay/providers/index";
import { redact } from "./recorder/redact";
import { hashForMatch, objectOf } from "./request";

/** Returns the hash of a request as the recorder would have stored it: with its secrets masked. */
export function hashRedacted(provider: Provider, request: Parameters<typeof hashForMatch>[1]): string {
  const body = objectOf(request.body);
  if (!body) return hashForMatch(provider, request);
  return hashForMatch(provider, { ...request, body: { json: redact({ body, headers: {}, chunks: [] }, []).body } });
}
