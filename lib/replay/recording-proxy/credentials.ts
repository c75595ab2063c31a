import type { IncomingMessage } from "node:http";

/** Names of query parameters and headers that contain credentials. */
const credential = /^(?:key|api[-_]?key|access[-_]token|authorization|x-api-key|x-goog-api-key)$/i;

/** Returns the credentials of a request, which must not get into a file. */
export function credentialsOf(headers: IncomingMessage["headers"], query: URLSearchParams): string[] {
  const values = [
    ...Object.entries(headers).flatMap(([name, value]) => (credential.test(name) && value ? [String(value)] : [])),
    ...[...query].flatMap(([name, value]) => (credential.test(name) ? [value] : [])),
  ];
  return values.flatMap((value) => [value, value.replace(/^\S+\s+/, "")]);
}

/** Removes the credentials from a query. */
export function removeCredentials(query: URLSearchParams): void {
  for (const name of [...query.keys()]) if (credential.test(name)) query.delete(name);
}
