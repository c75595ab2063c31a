import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ensureKeyFile } from "#lib/platform/encryption-key-file";
import { temporaryFolder } from "#tests/support/temporary-folder";

it("a data folder gets one permanent key that only its owner can read; a file without a key is never overwritten", () => {
  const folder = join(temporaryFolder(), "data");
  const file = join(folder, "encryption.key");
  const key = ensureKeyFile(folder);
  expect([key.byteLength, statSync(file).mode & 0o077]).toEqual([32, 0]);
  expect(ensureKeyFile(folder)).toEqual(key);
  writeFileSync(file, "broken");
  expect(() => ensureKeyFile(folder)).toThrow("does not contain a key");
  expect(readFileSync(file, "utf8")).toBe("broken");
});
