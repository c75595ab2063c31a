/** Response headers that say something about the response and nothing about who asked. */
const kept = new Set(["content-type", "request-id", "anthropic-version", "retry-after"]);
const keptPrefix = "anthropic-ratelimit-";
/** Longest header that a cassette holds. */
const maxValueLength = 2000;

/** The headers that a cassette keeps: never organisation ids, cookies or an edge's own. */
export function keptHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(
    pairs
      .filter(([name]) => kept.has(name) || (name.startsWith(keptPrefix) && /^[a-z0-9-]+$/.test(name)))
      .map(([name, value]) => [name, value.slice(0, maxValueLength)]),
  );
}
