import { expect, test } from "vitest";
import { type Cassette, maxCassetteByteSize } from "#lib/replay/cassettes/index";
import { encodeFile } from "#lib/replay/recording-proxy/stored-file";

test("a file is written only if a replay would read it", () => {
  const withChunk = (b: string) => ({ chunks: [{ delta_ms: 0, b }] }) as Partial<Cassette> as Cassette;
  const { length } = encodeFile("001.json", withChunk(""));
  const longest = "A".repeat(maxCassetteByteSize - length);
  expect(encodeFile("001.json", withChunk(longest))).toHaveLength(maxCassetteByteSize);
  expect(() => encodeFile("001.json", withChunk(`${longest}A`))).toThrow("larger than 64 MiB");
});
