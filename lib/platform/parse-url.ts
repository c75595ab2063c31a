/**
 * An absolute URL, or one relative to `base`; undefined for anything else. In place of `URL.canParse`, which in Node 20
 * refuses valid URLs with Latin-1 letters once it has been called often.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
