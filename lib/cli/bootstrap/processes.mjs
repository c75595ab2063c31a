/**
 * Child processes of the launcher and the test runner: started, stopped, and ended by the next start if their owner was
 * killed. Plain JavaScript, because it runs before any package is installed.
 *
 * @typedef {{
 *   env?: NodeJS.ProcessEnv, signal?: AbortSignal, folder?: string, timeoutMs: number, onOutput?: (text: string) => void
 * }} RunOptions
 */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  isSameProcess,
  makeFolder,
  ownIdentity,
  processToken,
  removeIfPossible,
  stopInTwoSteps,
} from "../../platform/processes.mjs";
import { dataFolder, packageRoot } from "./package-root.mjs";

const endTimeoutMs = 5_000;
const childPollMs = 20;
const hasGroups = process.platform !== "win32";
const folder = path.join(dataFolder, "children");

/**
 * Spawns a child in its own process group. While it runs, a file in the data folder records it and its owner, so that
 * the next start can end children of a launcher that was killed.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} options
 */
export function startChild(file, args, options) {
  const child = spawn(file, args, { ...options, detached: hasGroups, windowsHide: true });
  if (child.pid === undefined) return child;
  const recordFile = path.join(folder, `${child.pid}.json`);
  const identity = { pid: child.pid, token: processToken(child.pid) ?? "ended", owner: ownIdentity() };
  try {
    makeFolder(folder);
    writeFileSync(recordFile, JSON.stringify(identity));
  } catch {
    // On a full or read-only disk, the child runs without a record. Those that outlive a command notice its end by
    // their channel.
  }
  child.once("exit", () => removeIfPossible(recordFile));
  return child;
}

/**
 * Sends a signal to a child and everything it started.
 *
 * @param {number} pid
 * @param {NodeJS.Signals} name
 */
export function signalChild(pid, name) {
  try {
    process.kill(hasGroups ? -pid : pid, name);
  } catch {
    // It has already exited.
  }
}

/** Ends children whose owner was killed, and waits until they have exited. */
export async function endLeftoverChildren() {
  let names = [];
  try {
    names = readdirSync(folder);
  } catch {
    return;
  }
  await Promise.all(names.map((name) => endLeftover(path.join(folder, name))));
}

async function endLeftover(recordFile) {
  let child;
  try {
    child = JSON.parse(readFileSync(recordFile, "utf8"));
  } catch {
    // The owner was killed while writing the file, or another process removed it: handled like a damaged one.
  }
  if (!child?.owner) {
    removeIfPossible(recordFile);
    return;
  }
  if (isSameProcess(child.owner)) return;
  if (isSameProcess(child)) {
    signalChild(child.pid, "SIGKILL");
    const deadline = Date.now() + endTimeoutMs;
    while (isSameProcess(child) && Date.now() < deadline) await delay(childPollMs);
  }
  removeIfPossible(recordFile);
}

const outputLimitLength = 1024 * 1024;
/** A program that prints may take this many times its time limit. */
const maxTimeoutCount = 4;
/** Time between SIGTERM and SIGKILL, in milliseconds. */
const stopTimeoutMs = 5_000;

/**
 * Runs a program to its end and collects its output. After `timeoutMs` without output, after four times that, or when `signal`
 * is aborted, the program and everything it started is ended. Rejects if it cannot be started and on an aborted signal.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {RunOptions} options
 * @returns {Promise<{ exitCode: number | null, ending: string, output: string }>}
 */
export function runCollected(file, args, { env = process.env, signal, folder = packageRoot, timeoutMs, onOutput }) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const child = startChild(file, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const endAtMs = performance.now() + timeoutMs * maxTimeoutCount;
    const collect = (chunk) => {
      output = (output + chunk).slice(-outputLimitLength);
      if (performance.now() < endAtMs) timer.refresh();
      onOutput?.(chunk);
    };
    child.stdout.setEncoding("utf8").on("data", collect);
    child.stderr.setEncoding("utf8").on("data", collect);
    let force;
    const stop = () => {
      if (force) return;
      signalChild(child.pid, "SIGTERM");
      force = setTimeout(() => signalChild(child.pid, "SIGKILL"), stopTimeoutMs);
    };
    const timer = setTimeout(() => {
      // While it is being stopped, `collect` would start the timer again.
      if (!force) collect(`\nNo output for ${timeoutMs / 1_000} s, or no end in time.\n`);
      stop();
    }, timeoutMs);
    signal?.addEventListener("abort", stop, { once: true });
    const settle = () => {
      clearTimeout(timer);
      clearTimeout(force);
      signal?.removeEventListener("abort", stop);
    };
    child.once("error", (error) => {
      settle();
      reject(error);
    });
    child.once("close", (exitCode, exitSignal) => {
      settle();
      if (signal?.aborted) reject(signal.reason);
      else resolve({ exitCode, ending: exitSignal ?? `exit code ${exitCode}`, output: output.trim() });
    });
  });
}

const firstLineAfterMs = 1_000;
const updateMs = 1_000;

/**
 * Runs `work`. If it takes longer than a second, one line shows its label and, at the end, its duration; on a terminal
 * the line counts the seconds.
 *
 * @template T
 * @param {string} label
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(label, work) {
  const startedMs = performance.now();
  const seconds = () => `${Math.round((performance.now() - startedMs) / 1_000)} s`;
  const isTerminal = process.stdout.isTTY === true;
  let isShown = false;
  const show = () => {
    process.stdout.write(isTerminal ? `\r\u001b[K${label}… ${seconds()}` : isShown ? "" : `${label}…\n`);
    isShown = true;
  };
  let timer = setTimeout(() => {
    show();
    timer = setInterval(show, updateMs);
  }, firstLineAfterMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    if (isShown) process.stdout.write(`${isTerminal ? "\r\u001b[K" : ""}${label}… ${seconds()}\n`);
  }
}

/**
 * Runs a program, showing a progress line instead of its output. If it fails, the error's message has the output.
 *
 * @param {string} label
 * @param {string} file
 * @param {readonly string[]} args
 * @param {RunOptions} options
 */
export async function runQuietly(label, file, args, options) {
  const { exitCode, ending, output } = await withProgress(label, () => runCollected(file, args, options));
  if (exitCode !== 0) throw new Error(`${output}\n${label} failed (${ending}).`);
  return output;
}

const parentPollMs = 500;
const stopKey = Symbol.for("tapedeck.stop-request");

/** Stops if npm is killed by SIGKILL, which it cannot forward: this process then gets another parent. */
function watchParent(stop) {
  if (!["up", "dev"].includes(process.env.npm_lifecycle_event ?? "")) return;
  const parentPid = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parentPid) return;
    clearInterval(timer);
    stop();
  }, parentPollMs);
  timer.unref();
}

/**
 * Returns the stop request of this process: its signal is aborted by Ctrl-C, SIGTERM, a closed terminal, or the death of
 * the parent npm, and `urgent` by a second of these. From the first call on, they no longer end the process by themselves.
 *
 * @returns {{ signal: AbortSignal, urgent: AbortSignal }}
 */
export function stopRequest() {
  if (!globalThis[stopKey]) {
    const [controller, urgent] = [new AbortController(), new AbortController()];
    const stop = stopInTwoSteps(
      () => controller.abort(),
      () => urgent.abort(),
    );
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, stop);
    // Writing to a closed terminal fails. That must not stop the cleanup.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
    watchParent(stop);
    globalThis[stopKey] = { signal: controller.signal, urgent: urgent.signal };
  }
  return globalThis[stopKey];
}
