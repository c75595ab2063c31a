/**
 * Parses an absolute URL, or one relative to `base`. Returns undefined if it is not valid. Use it instead of
 * `URL.canParse`, which in Node 20 rejects valid URLs with Latin-1 letters once V8 has optimized it.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Decodes the escapes of a part of a URL; undefined if they are not UTF-8. */
export function decodeUrlPart(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
