import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { dataFolder } from "./database/paths";
import { makeFolder } from "./processes.mjs";

const keyByteSize = 32;

const keyFile = (folder: string) => path.join(folder, "encryption.key");

/** Returns the key of the data folder; undefined if there is none, or the file contains none. */
export function readKeyFile(folder = dataFolder()): Uint8Array | undefined {
  try {
    const key = Buffer.from(readFileSync(keyFile(folder), "utf8"), "base64");
    return key.byteLength === keyByteSize ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the key of the data folder, which encrypts the secrets in the embedded database. Creates it if it is missing. */
export function ensureKeyFile(folder = dataFolder()): Uint8Array {
  const key = readKeyFile(folder);
  if (key) return key;
  createKeyFile(keyFile(folder));
  const created = readKeyFile(folder);
  if (created) return created;
  throw new Error(
    `${keyFile(folder)} does not contain a key of 32 bytes in base64. Restore it, or delete it to get a new key.`,
  );
}

function createKeyFile(file: string): void {
  const draft = `${file}.${process.pid}`;
  makeFolder(path.dirname(file));
  try {
    writeFileSync(draft, `${randomBytes(keyByteSize).toString("base64")}\n`, { mode: 0o600 });
    // If two processes start at once, the first one's key is kept.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
