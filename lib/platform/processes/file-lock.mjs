/**
 * A lock between processes: a file that names its holder. A holder that died, also by kill -9, holds nothing.
 */
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isSameProcess, ownIdentity } from "./identity.mjs";

/** A file that is still empty after this long belongs to a holder that died while writing it. */
const unwrittenAfterMs = 2_000;
const pollMs = 50;

function readHolder(file) {
  try {
    const holder = JSON.parse(readFileSync(file, "utf8"));
    return Number.isSafeInteger(holder?.pid) ? holder : undefined;
  } catch {
    return undefined;
  }
}

function ageMs(file) {
  try {
    return Date.now() - statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

function create(file, content) {
  let descriptor;
  try {
    descriptor = openSync(file, "wx", 0o644);
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
  writeSync(descriptor, content);
  closeSync(descriptor);
  return true;
}

/** Takes a dead holder's file away. Of two processes that try at once, the rename lets one succeed. */
function removeStale(file, staleText) {
  const aside = `${file}.stale-${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  const text = readFileSync(aside, "utf8");
  // Somebody took the lock between our look and our rename: give it back.
  if (text !== staleText) create(file, text);
  rmSync(aside, { force: true });
}

function readText(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Tries once. The answer holds either `release` or the live `holder` (undefined while it is still writing its name). */
export function tryFileLock(file, details = {}) {
  mkdirSync(path.dirname(file), { recursive: true });
  const content = JSON.stringify({ ...ownIdentity(), ...details });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (create(file, content)) {
      const release = () => {
        if (readText(file) === content) rmSync(file, { force: true });
      };
      return { release };
    }
    const text = readText(file);
    const holder = readHolder(file);
    if (holder ? isSameProcess(holder) : ageMs(file) < unwrittenAfterMs) return { holder };
    if (text !== undefined) removeStale(file, text);
  }
  return { holder: readHolder(file) };
}

/** Waits for the lock, at most `timeoutMs`. */
export async function takeFileLock(file, { timeoutMs, signal, details } = {}) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const { release, holder } = tryFileLock(file, details);
    if (release) return { release };
    if (Date.now() >= deadline) return { holder };
    await delay(pollMs);
  }
}
