#!/usr/bin/env node
import cluster from "node:cluster";
import { readSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { stopInTwoSteps } from "../../platform/processes.mjs";
import { createCounts } from "../../platform/test-counts.mjs";
import { lastRequestByteSize, stopGraceOption } from "./server-options.mjs";

/**
 * `cluster.mjs <count> <arguments of server.mjs>`: several processes that serve one port. Sends `{ready: true}` over IPC when
 * all are ready, then `{alive: true}`. Starts a process again that has ended, or whose event loop does not run.
 */

const [countText, ...args] = process.argv.slice(2);
const workerCount = Number(countText);
const aliveIntervalMs = 1_000;
/** Seconds without a sign of life after which a process is ended, while it starts and then. */
const [maxStartSeconds, maxSilentSeconds] = [120, 20];
/** What ran for so long has recovered, so that its next end is the first again, in milliseconds. */
const recoveredAfterMs = 2 * 60_000;
const maxRestartWaitMs = 60_000;
const { "stop-grace": graceS } = parseArgs({ args, strict: false, options: stopGraceOption }).values;
/** Longer than the grace period for requests in progress, in milliseconds. */
const stopTimeoutMs = Number(graceS) * 1_000 + 3_000;
/** Maximum wait for what a process adds when one collects from all, in milliseconds. */
const collectTimeoutMs = 2_000;

const lastRequestFile = args.includes("--last-request-file") ? 4 : undefined;
const ignore = () => undefined;
const say = (line) => process.stderr.write(`${line}\n`);
const count = createCounts();
/** Running processes by their number. */
const running = new Map();
const collecting = new Map();
let collectCount = 0;
let isStopping = false;
let isReady = false;

function lastRequestOf(number) {
  if (lastRequestFile === undefined) return "";
  const bytes = Buffer.alloc(lastRequestByteSize);
  try {
    readSync(lastRequestFile, bytes, 0, bytes.length, number * lastRequestByteSize);
  } catch {
    return "";
  }
  return bytes.toString().replaceAll("\0", "").trim();
}

function start(number, endCount = 0) {
  cluster.setupPrimary({
    exec: fileURLToPath(new URL("server.mjs", import.meta.url)),
    args: [...args, "--worker", String(number)],
    stdio: ["inherit", "inherit", "inherit", "ipc", ...(lastRequestFile === undefined ? [] : [lastRequestFile])],
    serialization: "advanced",
  });
  const worker = cluster.fork();
  const state = { worker, isReady: false, silentSeconds: 0 };
  running.set(number, state);
  const startedMs = performance.now();
  worker.on("message", (message) => receive(state, message));
  // A message to a process that is ending fails; one that could not be started does not exit.
  worker.on("error", ({ message }) => worker.process.pid === undefined && ended(message));
  worker.once("exit", (code, signal) => ended(signal ?? `exit code ${code}`));
  function ended(reason) {
    running.delete(number);
    if (isStopping) return exitWhenStopped();
    if (!isReady) return stop(1);
    const ends = performance.now() - startedMs > recoveredAfterMs ? 1 : endCount + 1;
    say(`Server process ${number} is not running (${reason}). It is started again.`);
    // The first restart is at once; then the wait doubles.
    const waitMs = ends === 1 ? 0 : Math.min(maxRestartWaitMs, 1_000 * 2 ** (ends - 2));
    setTimeout(() => !isStopping && start(number, ends), waitMs);
  }
}

function receive(state, message) {
  state.silentSeconds = 0;
  const { worker } = state;
  const answer = (value) => worker.isConnected() && worker.send({ answerTo: message.ask, value }, ignore);
  if (message.ready) {
    state.isReady = true;
    const isFirst = !isReady;
    isReady ||= running.size === workerCount && [...running.values()].every((each) => each.isReady);
    if (isReady && isFirst) process.send?.({ ready: true });
  } else if (message.count !== undefined) answer(count(message.count));
  else if (message.collects) collect().then(answer);
  else if (message.collected !== undefined) collecting.get(message.collected)?.(worker, message.value);
}

/** Returns what each running process adds, with its number. */
function collect() {
  collectCount += 1;
  const id = collectCount;
  const asked = new Map(
    [...running].filter(([, { isReady }]) => isReady).map(([number, { worker }]) => [worker, number]),
  );
  const found = [];
  return new Promise((settle) => {
    const end = () => {
      clearTimeout(timer);
      collecting.delete(id);
      settle(found.sort((one, other) => one.worker - other.worker));
    };
    const timer = setTimeout(end, collectTimeoutMs);
    collecting.set(id, (worker, value) => {
      found.push({ worker: asked.get(worker), value });
      if (found.length === asked.size) end();
    });
    for (const worker of asked.keys()) if (worker.isConnected()) worker.send({ collect: id }, ignore);
  });
}

function exitWhenStopped() {
  if (running.size === 0) process.exit();
}

function stop(exitCode) {
  if (isStopping) return;
  isStopping = true;
  process.exitCode = exitCode;
  signalAll("SIGTERM");
  setTimeout(signalAll, stopTimeoutMs, "SIGKILL");
  exitWhenStopped();
}

function signalAll(name) {
  for (const { worker } of running.values()) worker.process.kill(name);
}

/** Counts its own checks in place of time, because all processes stop while a computer sleeps. */
function check() {
  if (process.connected) process.send({ alive: true });
  for (const [number, state] of running) {
    state.silentSeconds += 1;
    const limit = state.isReady ? maxSilentSeconds : maxStartSeconds;
    if (state.silentSeconds !== limit) continue;
    const since = `The event loop of server process ${number} has not run for ${limit} s`;
    say(`${since}, so it is restarted. Its last request: ${lastRequestOf(number) || "none"}`);
    state.worker.process.kill("SIGKILL");
  }
}

const onSignal = stopInTwoSteps(
  () => stop(0),
  () => signalAll("SIGKILL"),
);
for (const name of ["SIGINT", "SIGTERM"]) process.on(name, onSignal);
process.on("disconnect", onSignal);
process.on("SIGQUIT", () => {
  stop(0);
  signalAll("SIGKILL");
});
setInterval(check, aliveIntervalMs);
for (let number = 1; number <= workerCount; number += 1) start(number);
