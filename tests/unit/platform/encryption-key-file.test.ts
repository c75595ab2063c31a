import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tapedeck-key-"));
  vi.stubEnv("TAPEDECK_DATA_DIR", join(folder, "data"));
  vi.resetModules();
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it("a data folder gets one key, for its owner alone, and keeps it", async () => {
  const { ensureKeyFile } = await import("#lib/platform/encryption-key-file");
  const key = ensureKeyFile();
  expect(key.byteLength).toBe(32);
  expect(statSync(join(folder, "data", "encryption.key")).mode & 0o077).toBe(0);
  expect(ensureKeyFile()).toEqual(key);
});

it("a file that does not contain a key is told, and stays", async () => {
  const { ensureKeyFile } = await import("#lib/platform/encryption-key-file");
  ensureKeyFile();
  writeFileSync(join(folder, "data", "encryption.key"), "broken");
  expect(() => ensureKeyFile()).toThrow("does not contain a key");
  expect(readFileSync(join(folder, "data", "encryption.key"), "utf8")).toBe("broken");
});
