/** What windows-1252 has from 0x80 to 0x9f; the five gaps stand for themselves, as browsers read them. */
const upperControls = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** Decodes windows-1252, and Latin-1 as browsers do. Node 20's TextDecoder makes control characters of 0x80 to 0x9f. */
export function decodeWindows1252(body: Uint8Array): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
  return text.replace(/[\u0080-\u009f]/g, (one) => upperControls[one.charCodeAt(0) - 0x80] ?? one);
}
