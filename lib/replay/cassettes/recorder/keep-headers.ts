import type { Provider } from "#lib/replay/providers/index";

const maxValueLength = 2000;

/** Headers that no cassette keeps: they are of the connection, of one client, or differ in each recording. */
const neverKept = new Set(["content-encoding", "content-length", "date", "set-cookie", "transfer-encoding"]);

/** Headers of any provider that say when what was called ends (RFC 9745, RFC 8594), and how a file is called. */
const alwaysKept: readonly string[] = ["deprecation", "sunset", "content-disposition"];

/** Returns the headers that a cassette keeps: no organisation ids, cookies, or headers of a CDN. */
export function keepHeaders(
  { keptHeaders }: Provider,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  const isKept = (name: string) =>
    [...keptHeaders, ...alwaysKept].some((kept) =>
      kept.endsWith("*") ? name.startsWith(kept.slice(0, -1)) : name === kept,
    );
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value.slice(0, maxValueLength)] as const)
      .filter(([name]) => isKept(name) && !neverKept.has(name) && /^[a-z0-9-]+$/.test(name)),
  );
}
