import { expect, it } from "vitest";
import { decodeChunk } from "#lib/replay/cassettes/decode-cassette";
import { encodeChunk } from "#lib/replay/cassettes/encoding";

it.each([
  ["text", "Guten Tag, größe 😀", "s"],
  ["JSON in JSON", JSON.stringify(JSON.stringify({ a: 'b"', c: ["d\n", ""] })), "s"],
  ["a line end", "\n", "s"],
  ["silence", "\0".repeat(2_000), "b"],
  ["a part of a character", new Uint8Array([0xe2, 0x82]), "b"],
])("a chunk of %s is written in its shorter form, and read as it was", (_what, given, form) => {
  const bytes = typeof given === "string" ? new TextEncoder().encode(given) : given;
  const chunk = encodeChunk({ deltaMs: 1.5, bytes });
  expect(Object.keys(chunk)).toEqual(["delta_ms", form]);
  expect(JSON.stringify(chunk).length).toBeLessThan(2 * bytes.length + 40);
  const read = decodeChunk(chunk);
  expect([read.deltaMs, Buffer.from(read.bytes).equals(bytes)]).toEqual([1.5, true]);
});
