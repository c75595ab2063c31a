import type { Provider } from "#lib/replay/providers/index";

/** Longest header value in a cassette. */
const maxValueLength = 2000;

/** Returns the headers that a cassette keeps: no organisation ids, cookies, or headers of a CDN. */
export function keepHeaders(
  { keptHeaders }: Provider,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  const isKept = (name: string) =>
    keptHeaders.some((kept) => (kept.endsWith("*") ? name.startsWith(kept.slice(0, -1)) : name === kept));
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value.slice(0, maxValueLength)] as const)
      .filter(([name]) => isKept(name) && /^[a-z0-9-]+$/.test(name)),
  );
}
