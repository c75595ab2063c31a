import { expect, it } from "vitest";
import { compressText, decompressText } from "#lib/platform/compress-text";

it.each([0, 1, 1_000, 64 * 1024, 64 * 1024 + 1, 3_000_000])(
  "a text of %d characters is restored exactly",
  async (size) => {
    const text = "é\u0000# Docs\n".repeat(Math.ceil(size / 10)).slice(0, size);
    expect(await decompressText(await compressText(text))).toBe(text);
  },
);

it("invalid compressed data throws", async () => {
  await expect(decompressText(Uint8Array.of(255, 0, 255, 1, 2))).rejects.toThrow();
});
