import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { dataFolder } from "./database/paths";

const keyByteSize = 32;

function keyFile(): string {
  return path.join(dataFolder(), "encryption.key");
}

function readKeyFile(): Uint8Array | undefined {
  try {
    const key = Buffer.from(readFileSync(keyFile(), "utf8"), "base64");
    return key.byteLength === keyByteSize ? key : undefined;
  } catch {
    return undefined;
  }
}

/** The key of the data folder, beside the embedded database whose secrets it encrypts; made where there is none. */
export function ensureKeyFile(): Uint8Array {
  const key = readKeyFile();
  if (key) return key;
  makeKeyFile();
  const made = readKeyFile();
  if (made) return made;
  throw new Error(`${keyFile()} holds no key of 32 bytes in base64. Bring it back, or take it away for a new one.`);
}

function makeKeyFile(): void {
  const file = keyFile();
  const draft = `${file}.${process.pid}`;
  mkdirSync(path.dirname(file), { recursive: true });
  try {
    writeFileSync(draft, `${randomBytes(keyByteSize).toString("base64")}\n`, { mode: 0o600 });
    // Of two that start at once the first one's stays.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
