import fc from "fast-check";

const surrogateCount = 0x800;

/** Any code point as text. The unit "binary" of `fc.string` takes a second for a map of all of them, once per process. */
export const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - surrogateCount })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + surrogateCount));
