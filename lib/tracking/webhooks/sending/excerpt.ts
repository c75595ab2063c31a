/** What is kept of an answer's body, in bytes. */
export const excerptByteSize = 1_024;

/** The beginning of an answer as text of at most `excerptByteSize` bytes; null where there is none. */
export function excerptOf(body: Uint8Array): string | null {
  // The database takes every character but this one.
  const text = new TextDecoder().decode(body.subarray(0, excerptByteSize)).replaceAll("\0", "\u{FFFD}");
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(excerptByteSize));
  return read === 0 ? null : text.slice(0, read);
}
