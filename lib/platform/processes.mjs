/**
 * Identities of processes, and locks between them. Plain JavaScript, because the launcher needs it before any package is
 * installed.
 *
 * @typedef {{ pid: number, token: string }} ProcessIdentity
 * @typedef {ProcessIdentity & Record<string, unknown>} LockHolder
 * @typedef {{ release: () => void, holder?: undefined } | { release?: undefined, holder: LockHolder | undefined }} LockAttempt
 */
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const psTimeoutMs = 5_000;

function ps(pid, columns) {
  try {
    const options = { encoding: "utf8", timeout: psTimeoutMs, stdio: ["ignore", "pipe", "ignore"], windowsHide: true };
    return execFileSync("ps", ["-o", columns, "-p", String(pid)], options).trim();
  } catch {
    return "";
  }
}

/**
 * Whether any process has this id, including one that has exited and waits to be reaped.
 *
 * @param {number} pid
 */
export function isPidInUse(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/**
 * Returns a text that identifies a running process, since ids are reused: constant while it runs, and different from any
 * later process with the same id. Undefined if no process has the id.
 *
 * @param {number} pid
 * @returns {string | undefined}
 */
export function processToken(pid) {
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isPidInUse(pid)) return undefined;
  if (process.platform === "linux") {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // The command name can contain spaces and parentheses. The fields start after the last parenthesis.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const [state, startTicks] = [fields[0], fields[19]];
      return state === "Z" || state === "X" ? undefined : `ticks:${startTicks}`;
    } catch {
      return undefined;
    }
  }
  if (process.platform === "win32") return "alive";
  const [state = "", ...started] = ps(pid, "stat=,lstart=").split(/\s+/);
  return state === "" || state.startsWith("Z") ? undefined : `started:${started.join(" ")}`;
}

/**
 * Whether the process with this identity is still running.
 *
 * @param {ProcessIdentity} identity
 */
export function isSameProcess(identity) {
  const token = processToken(identity.pid);
  return token !== undefined && token === identity.token;
}

/** @returns {ProcessIdentity} */
export function ownIdentity() {
  return { pid: process.pid, token: processToken(process.pid) ?? "unknown" };
}

/**
 * Returns the command line of a process; empty if unknown.
 *
 * @param {number} pid
 */
export function commandLine(pid) {
  if (process.platform === "win32") return "";
  if (process.platform !== "linux") return ps(pid, "command=");
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

const isFolder = (file) => statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Creates a folder and those above it. Node.js's recursive mkdir never returns where the system says of a folder that exists
 * that it does not, as below `/proc`.
 *
 * @param {string} folder
 */
export function makeFolder(folder) {
  if (isFolder(folder)) return;
  if (path.dirname(folder) !== folder) makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created it in the meantime.
    if (error.code !== "EEXIST" || !isFolder(folder)) throw error;
  }
}

const pollMs = 50;

function holderOf(text) {
  try {
    const holder = JSON.parse(text);
    return Number.isSafeInteger(holder?.pid) ? holder : undefined;
  } catch {
    return undefined;
  }
}

/** What systems say of a folder without hard links. */
const withoutLinks = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

/** Creates a file that, where there are hard links, is never seen without its content. Returns false if there is one. */
function create(file, content) {
  const written = `${file}.${process.pid}`;
  try {
    writeFileSync(written, content);
    try {
      linkSync(written, file);
    } catch (error) {
      if (!withoutLinks.includes(error.code)) throw error;
      writeFileSync(file, content, { flag: "wx" });
    }
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    // The system names no file where writing fails, as on a full disk.
    error.path ??= file;
    throw error;
  } finally {
    removeIfPossible(written);
  }
}

/** Removes the lock file of a dead holder. If two processes try at once, the rename succeeds for one. */
function removeStale(file, staleText) {
  const aside = `${file}.stale-${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    // Otherwise, the lock that an ended process left on a read-only disk would look as if it were held.
    if (error.code === "EROFS" || error.code === "EACCES") throw error;
    return;
  }
  const text = readFileSync(aside, "utf8");
  // Another process took the lock between reading and renaming: restore its file.
  if (text !== staleText) create(file, text);
  rmSync(aside, { force: true });
}

/**
 * Removes a file that names this process or a child. On a disk that became read-only it stays, which does no harm: once
 * the process has ended, the file counts for nothing.
 *
 * @param {string} file
 */
export function removeIfPossible(file) {
  try {
    rmSync(file, { force: true });
  } catch {
    // Stays.
  }
}

function readText(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Returns the running process that holds a lock; undefined if none does. */
export function lockHolder(file) {
  const holder = holderOf(readText(file) ?? "");
  return holder && isSameProcess(holder) ? holder : undefined;
}

/**
 * Tries to take a lock between processes: a file with the identity of its holder. The lock of a process that has died,
 * even by SIGKILL, is free. Returns either `release` or the live `holder`, which is undefined if it has just changed.
 *
 * @param {string} file
 * @param {Record<string, unknown>} [details] stored with the identity
 * @returns {LockAttempt}
 */
export function tryFileLock(file, details = {}) {
  makeFolder(path.dirname(file));
  const content = JSON.stringify({ ...ownIdentity(), ...details });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (create(file, content)) {
      const release = () => {
        if (readText(file) === content) removeIfPossible(file);
      };
      return { release };
    }
    // What is decided and removed is one reading: by the next one, another process may hold the lock.
    const text = readText(file);
    if (text === undefined) continue;
    const holder = holderOf(text);
    if (holder && isSameProcess(holder)) return { holder };
    removeStale(file, text);
  }
  return { holder: holderOf(readText(file) ?? "") };
}

/**
 * Waits for a lock, at most `timeoutMs` milliseconds.
 *
 * @param {string} file
 * @param {{ timeoutMs: number, signal?: AbortSignal, details?: Record<string, unknown> }} options
 * @returns {Promise<LockAttempt>}
 */
export async function takeFileLock(file, { timeoutMs, signal, details }) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const { release, holder } = tryFileLock(file, details);
    if (release) return { release };
    if (Date.now() >= deadline) return { holder };
    await delay(pollMs);
  }
}

/** A signal that comes so soon after another one is the same: npm passes on Ctrl-C, which the terminal has sent too. */
const sameSignalMs = 1_000;

/**
 * Returns a listener of signals that calls `begin` for the first one, and `end` for each later one.
 *
 * @param {() => void} begin
 * @param {() => void} end
 */
export function stopInTwoSteps(begin, end) {
  let begunMs;
  return () => {
    if (begunMs === undefined) {
      begunMs = performance.now();
      begin();
    } else if (performance.now() - begunMs > sameSignalMs) end();
  };
}
