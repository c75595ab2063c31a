#!/usr/bin/env node
import cluster from "node:cluster";
import { once } from "node:events";
import { writeSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import next from "next";
import { stopInTwoSteps } from "../../platform/processes.mjs";
import { answerClientError } from "./client-errors.mjs";
import { lastRequestByteSize, serverOptions, stopGraceOption } from "./server-options.mjs";
import { startGate } from "./start-gate.mjs";

/**
 * The self-hosted server: Next, with a handler in front of it for replay and MCP (see node-server.ts). It sends
 * `{ready: true}` over IPC, then `{alive: true}` as long as its event loop runs, and stops on SIGINT, SIGTERM or when its
 * parent has exited, once all requests have been answered, after `--stop-grace` seconds, or on a second signal.
 */

const projectFolder = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
/** Maximum time for the server's own first request, in milliseconds: below the time in which the launcher expects it. */
const firstRequestTimeoutMs = 100_000;
/** Interval of telling the launcher that the event loop runs. */
const aliveIntervalMs = 1_000;
/** Maximum simultaneous connections while the server starts. Then connection-bounds.ts bounds them. */
const maxConnectionsAtStart = 10_000;

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "3000" },
    host: { type: "string", default: "127.0.0.1" },
    dev: { type: "boolean", default: false },
    ...stopGraceOption,
    /** Descriptor of the open file in which the launcher looks for the last request if the event loop does not run. */
    "last-request-file": { type: "string", default: "-1" },
    /** Number of this process where several serve the port (`cluster.mjs`), from 1. */
    worker: { type: "string", default: "0" },
  },
});
const port = Number(values.port);
const { host: hostname, dev } = values;
const isOneOfSeveral = cluster.isWorker;

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const server = createServer(serverOptions);
server.maxConnections = maxConnectionsAtStart;
server.on("clientError", answerClientError);

let isClosing = false;
let isReady = false;
/** Requests in progress, streams included. */
let openCount = 0;

function end() {
  server.closeAllConnections();
  setTimeout(() => process.exit(0), 100);
}

function endWhenAnswered() {
  if (openCount === 0) end();
  else server.closeIdleConnections();
}

function close() {
  if (isClosing) return;
  isClosing = true;
  // Requests that wait for the start are not waited for.
  const graceS = isReady ? Number(values["stop-grace"]) : 0;
  globalThis[Symbol.for("tapedeck.begin-stop")]?.({ requests: openCount, graceS });
  server.close();
  setTimeout(end, graceS * 1_000);
  endWhenAnswered();
}

function countOpen(response) {
  openCount += 1;
  // For a page, Next.js and what bounds requests listen for its end too, more than ten together.
  response.setMaxListeners(20);
  if (isClosing) response.setHeader("Connection", "close");
  response.once("close", () => {
    openCount -= 1;
    if (isClosing) endWhenAnswered();
  });
}

function listen() {
  return new Promise((settle, reject) => {
    server.once("error", reject);
    server.listen(port, hostname, settle);
  });
}

const onSignal = stopInTwoSteps(close, end);
for (const name of ["SIGINT", "SIGTERM"]) process.on(name, onSignal);
process.on("disconnect", onSignal);
// Unlike a second SIGTERM, it is never taken for the first one, however soon it comes.
process.on("SIGQUIT", end);

// Next writes loopback addresses as "localhost" in some places only, and then treats its own rewrites as external.
const nextHostname = /^(127\.|::1$)/.test(hostname) ? "localhost" : hostname;
const app = next({ dev, dir: projectFolder, hostname: nextHostname, port, httpServer: server });
const handle = app.getRequestHandler();

/** Settles once the server has answered its own first request. Earlier requests wait for it. */
let open;
const opened = new Promise((settle) => {
  open = settle;
});
/** The handler that instrumentation.ts registers. The development server has none: Next reloads modules there. */
const handlerBeforeNext = () => (dev ? undefined : globalThis[Symbol.for("tapedeck.answer-before-next")]);
function answer(request, response) {
  const answerBeforeNext = handlerBeforeNext();
  if (answerBeforeNext) answerBeforeNext(request, response, () => handle(request, response));
  else {
    // Without the handler, which knows the trusted proxies, a client could forge its own address.
    delete request.headers["x-forwarded-for"];
    handle(request, response);
  }
}
const start = startGate(answer, opened);
const lastRequestFile = Number(values["last-request-file"]);
const lastRequestPosition = Number(values.worker) * lastRequestByteSize;

/** Writes the request's time, method and path, without the query, which may contain secrets. */
function noteRequest({ method, url = "" }) {
  if (lastRequestFile < 0) return;
  const line = `${new Date().toISOString()} ${method} ${url.split("?", 1)[0]}`;
  try {
    writeSync(
      lastRequestFile,
      Buffer.from(line.padEnd(lastRequestByteSize)).subarray(0, lastRequestByteSize),
      0,
      undefined,
      lastRequestPosition,
    );
  } catch {
    // A full disk must not stop replay.
  }
}

server.on("request", (request, response) => {
  noteRequest(request);
  countOpen(response);
  start(request, response);
});

// The handler before Next sends 100 Continue when a body is read, so that one that is too large is refused before it is sent.
if (!dev) server.on("checkContinue", (request, response) => server.emit("request", request, response));

async function listenOrFail() {
  try {
    await listen();
  } catch (error) {
    if (error.code === "EADDRINUSE") fail(`Port ${port} is in use. Choose another: PORT=${port + 1}`);
    fail(`The server cannot listen on ${hostname}:${port}: ${error.message}`);
  }
}

/** Sends the first request, to another port than that of all others. */
async function sendFirstRequest() {
  const own = createServer((request, response) => {
    noteRequest(request);
    answer(request, response);
  });
  own.listen({ port: 0, host: "127.0.0.1", exclusive: true });
  await once(own, "listening");
  try {
    const url = `http://127.0.0.1:${own.address().port}/api/v1/health`;
    await fetch(url, { signal: AbortSignal.timeout(firstRequestTimeoutMs) });
  } finally {
    own.close();
    own.closeAllConnections();
  }
}

// Of several processes, each takes requests only once it is ready.
if (!isOneOfSeveral) await listenOrFail();
/** Next prints how long its configuration took, whatever its options say. */
async function prepareSilently() {
  const { log } = console;
  console.log = () => undefined;
  try {
    await app.prepare();
  } finally {
    console.log = log;
  }
}

try {
  await (dev ? app.prepare() : prepareSilently());
} catch (error) {
  fail(error.message);
}
// Next runs instrumentation.ts at the first request, which is this one.
try {
  await sendFirstRequest();
} catch (error) {
  fail(`The server did not answer its own first request: ${error.cause?.message ?? error.message}`);
}
// Next listens to upgrades at its first request, for development only, and closes them. Without a listener, a request that
// offers one (Java's client offers h2c) is answered like any other.
if (!dev) server.removeAllListeners("upgrade");
if (!dev) {
  const boundConnections = globalThis[Symbol.for("tapedeck.bound-connections")];
  if (!handlerBeforeNext() || !boundConnections) fail("The server started without its handler for replay and MCP.");
  boundConnections(server);
  server.maxConnections = Number.POSITIVE_INFINITY;
}
open();
if (isOneOfSeveral) await listenOrFail();
isReady = true;
process.send?.({ ready: true });
if (process.send) setInterval(() => process.connected && process.send({ alive: true }), aliveIntervalMs).unref();
