#!/usr/bin/env node
import { createServer } from "node:http";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import next from "next";
import { startGate } from "./start-gate.mjs";

/**
 * The self-hosted server: Next, with the replay adapter in front of it (see node-server.ts). It says `{ready: true}`
 * over IPC, ends on SIGINT, SIGTERM or when its parent is gone, and gives streams a moment to end.
 */

const projectFolder = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
/** Longest wait for open streams after a signal, in milliseconds. */
const closeTimeoutMs = 2_000;
/** Longest wait for the server's own first request, in milliseconds. */
const firstRequestTimeoutMs = 10_000;
/** Most simultaneous connections; further ones wait in the kernel's queue. */
const maxConnections = 10_000;

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "3000" },
    host: { type: "string", default: "127.0.0.1" },
    dev: { type: "boolean", default: false },
  },
});
const port = Number(values.port);
const { host: hostname, dev } = values;

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const server = createServer();
server.maxConnections = maxConnections;
server.requestTimeout = 30_000;
server.headersTimeout = 10_000;
server.keepAliveTimeout = 5_000;

function close() {
  server.close(() => process.exit(0));
  server.closeIdleConnections();
  setTimeout(() => {
    server.closeAllConnections();
    setTimeout(() => process.exit(0), 100);
  }, closeTimeoutMs);
}

function listen() {
  return new Promise((settle, reject) => {
    server.once("error", reject);
    server.listen(port, hostname, settle);
  });
}

process.once("SIGINT", close);
process.once("SIGTERM", close);
process.once("disconnect", close);

// Next writes loopback addresses as "localhost" in some places only, and takes its own rewrites for another server's then.
const nextHostname = /^(127\.|::1$)/.test(hostname) ? "localhost" : hostname;
const app = next({ dev, dir: projectFolder, hostname: nextHostname, port, httpServer: server });
const handle = app.getRequestHandler();

/** Requests that come while Next prepares wait for it. */
let prepare;
const prepared = new Promise((settle) => {
  prepare = settle;
});
let isPrepared = false;
let answerBeforeNext;
const start = startGate((request, response) => {
  // Until the adapter knows which proxy to trust, a client's word about its own address is dropped.
  if (!answerBeforeNext) delete request.headers["x-forwarded-for"];
  if (!answerBeforeNext?.(request, response)) handle(request, response);
});
server.on("request", async (request, response) => {
  if (!isPrepared) await prepared;
  start(request, response);
});

try {
  await listen();
} catch (error) {
  if (error.code === "EADDRINUSE") fail(`Port ${port} is taken. Choose another: PORT=${port + 1} npm run up`);
  fail(`The server cannot listen on ${hostname}:${port}: ${error.message}`);
}
try {
  await app.prepare();
} catch (error) {
  fail(error.message);
}
isPrepared = true;
prepare();
// Next runs instrumentation.ts, which registers the replay adapter, at the first request: this is that request.
const ownAddress = `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
const signal = AbortSignal.timeout(firstRequestTimeoutMs);
await fetch(`${ownAddress}/api/v1/health`, { signal }).catch(() => undefined);
if (!dev) answerBeforeNext = globalThis[Symbol.for("tapedeck.answer-before-next")];
process.send?.({ ready: true });
