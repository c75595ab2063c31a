import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { maxMailsPerMailbox, maxMailsPerSender, maxManagedPerMinute } from "#lib/accounts/limits/index";
import { maxCheckoutsPerHour } from "#lib/accounts/purchases/create-checkout";
import { maxSilenceMs } from "#lib/cli/launcher/server-process";
import { maxRestartWaitMs } from "#lib/cli/launcher/supervise";
import { maxResultLength } from "#lib/contract/tool";
import { maxHitCount } from "#lib/discovery/search/schemas";
import { maxJsonDepth, maxJsonValueCount } from "#lib/platform/bounded-json";
import { parseConfig } from "#lib/platform/config";
import { jobTimeoutMs, poolSize, transactionTimeoutMs } from "#lib/platform/database/client";
import { outboundBounds } from "#lib/platform/outbound/guarded-fetch";
import { maxHeaderByteSize } from "#lib/platform/outbound/send-hop";
import { defaultWorkerLimits } from "#lib/platform/run-worker";
import { hourMs } from "#lib/platform/time";
import { createMessageEndpoint } from "#lib/replay/playback/index";
import { maxStallMs } from "#lib/replay/playback/pacer";
import { bodyBounds, connectionBounds, requestBounds } from "#lib/server/http/client-bounds";
import { maxBodyByteSize } from "#lib/server/http/dispatch";
import { pageBounds } from "#lib/server/http/page-queue";
import { maxMcpBodyByteSize } from "#lib/server/mcp/endpoints";
import { requestTimeoutMs } from "#lib/server/mcp/mcp-request";
import { maxBufferedCount, streamLifeMs } from "#lib/server/mcp/session-endpoint";
import { subscriptionLifeMs } from "#lib/server/mcp/subscription-streams";
import { maxSessionCount, maxSubscriptionCount, sessionIdleMs } from "#lib/server/mcp-sessions/sessions";
import { maxStreamCount, maxStreamsPerKey, maxStreamsPerNetwork } from "#lib/server/mcp-sessions/stream-slots";
import { getFeedEndpoint } from "#lib/tracking/feed/endpoints";
import { maxAttemptCount } from "#lib/tracking/fetching/retry";
import { comparisonBounds } from "#lib/tracking/history/index";
import { maxModelAttempts, maxTextAttempts } from "#lib/tracking/intelligence/analyse-subject";
import { maxModelCalls } from "#lib/tracking/intelligence/model/create-model-analyser";
import { maxAddedPerMinute } from "#lib/tracking/vendors/custom/schemas";
import { maxSentPerMinute } from "#lib/tracking/webhooks/deliveries/schemas";
import { attemptsPerSlot, defaultConcurrency } from "#lib/tracking/webhooks/sending/deliver-webhooks";
import { attemptTimeoutMs } from "#lib/tracking/webhooks/sending/post-delivery";
import { maxConcurrentAttempts, maxPromptAttempts } from "#lib/tracking/webhooks/sending/store";
import { serverOptions } from "../../lib/server/http/server-options.mjs";
import { maxWaitingPerSocket } from "../../lib/server/http/start-gate.mjs";

const count = (value: number) => value.toLocaleString("en-US");
const duration = (ms: number) => (ms % hourMs === 0 ? `${count(ms / hourMs)} h` : `${count(ms / 1_000)} s`);
const kibibytes = (byteSize: number) => `${byteSize / 1024} KiB`;
const mebibytes = (byteSize: number) => `${byteSize / 1024 / 1024} MiB`;

const maxFeedPage = Array.from({ length: 1_000 }, (_, index) => index + 1).findLast(
  (limit) => getFeedEndpoint.query?.safeParse({ limit: String(limit) }).success,
);

const bounds = {
  connections: count(connectionBounds.max),
  "connections of a network": count(connectionBounds.maxPerNetwork),
  "connections of a loopback address": count(connectionBounds.maxForLoopback),
  "requests in progress of a network, streams included": count(requestBounds.maxPerNetwork),
  "requests in progress of a loopback address": count(requestBounds.maxForLoopback),
  "requests in progress on a connection": "1",
  "pipelined requests that wait on a connection": count(maxWaitingPerSocket),
  "request headers": kibibytes(serverOptions.maxHeaderSize),
  "time for the headers": duration(serverOptions.headersTimeout),
  "time for the whole request": duration(serverOptions.requestTimeout),
  "idle time of a connection": duration(serverOptions.keepAliveTimeout),
  "request body": kibibytes(maxBodyByteSize),
  "request body for MCP": mebibytes(maxMcpBodyByteSize),
  "request body of a drop-in endpoint": mebibytes(createMessageEndpoint.rawBodyByteSize ?? 0),
  "levels of nested arrays and objects in JSON": `${count(maxJsonDepth)} levels`,
  "values in JSON": count(maxJsonValueCount),
  "bodies over 64 KiB read at the same time, together": mebibytes(bodyBounds.maxTotalByteSize),
  "drop-in bodies over 1 MiB read at the same time": count(bodyBounds.max),
  "drop-in bodies over 1 MiB of a network read at the same time": count(bodyBounds.maxPerNetwork),
  "pages and searches answered at the same time": count(pageBounds.maxRendering),
  "pages and searches that wait": count(pageBounds.maxWaiting),
  "pages and searches of a network that wait": count(pageBounds.maxPerNetwork),
  "pages and searches of a loopback address that wait": count(pageBounds.maxForLoopback),
  "time that a replay waits for a client that reads nothing": duration(maxStallMs),
  "time for an MCP request": duration(requestTimeoutMs),
  "open MCP streams of a process": count(maxStreamCount),
  "open MCP streams of a network without a key": count(maxStreamsPerNetwork),
  "open MCP streams of a key": count(maxStreamsPerKey),
  "lifetime of a `subscriptions/listen` stream": duration(subscriptionLifeMs),
  "lifetime of a session's stream": duration(streamLifeMs),
  "events buffered for a session's stream": count(maxBufferedCount),
  "MCP sessions of a key, or of a network without a key": count(maxSessionCount),
  "idle time of an MCP session": duration(sessionIdleMs),
  "subscriptions of an MCP session": count(maxSubscriptionCount),
  "entries of a page of the feed": count(maxFeedPage ?? 0),
  "search results": count(maxHitCount),
  "characters of an MCP tool's result": count(maxResultLength),
  "checkouts of a network per clock hour": count(maxCheckoutsPerHour),
  "connections to the database of a process, for requests and for jobs each": count(poolSize),
  "wait of a request for the database (`DATABASE_TIMEOUT_MS`)": duration(parseConfig({}).DATABASE_TIMEOUT_MS),
  "wait of a job or a command for the database": duration(jobTimeoutMs),
  "a transaction": duration(transactionTimeoutMs),
  "wait before `npm run up` starts a process again": duration(maxRestartWaitMs),
  "silence of the server after which `npm run up` restarts it": duration(maxSilenceMs),
  "redirects of a request to another server": count(outboundBounds.maxRedirects),
  "time for the response headers of another server": duration(outboundBounds.headersTimeoutMs),
  "time for a request to another server with its redirects": duration(outboundBounds.totalTimeoutMs),
  "response headers of another server": kibibytes(maxHeaderByteSize),
  "response body of another server, before and after decompression": mebibytes(outboundBounds.maxBodyByteSize),
  "attempts to fetch a vendor's file": count(maxAttemptCount),
  "time for an attempt to deliver a webhook": duration(attemptTimeoutMs),
  "deliveries of a process that were started within a second": count(defaultConcurrency),
  "concurrent deliveries of a process": count(attemptsPerSlot * defaultConcurrency),
  "concurrent deliveries to a webhook": count(maxConcurrentAttempts),
  "concurrent deliveries to a webhook that answers within a second": count(maxPromptAttempts),
  "tests and redeliveries of webhooks of an account in a minute": count(maxSentPerMinute),
  "vendors that an account adds in a minute": count(maxAddedPerMinute),
  "requests in a minute that manage keys or payment at the daily limit": count(maxManagedPerMinute),
  "mails with a link in a day: to a mailbox, of an account or network": `${maxMailsPerMailbox}, ${maxMailsPerSender}`,
  "time for a worker thread to process two versions": duration(defaultWorkerLimits.timeoutMs),
  "heap of a worker thread that processes two versions": `${defaultWorkerLimits.maxHeapMib} MiB`,
  "comparisons of two versions that wait in a process": count(comparisonBounds.maxWaiting),
  "wait of a request for a comparison of two versions": duration(comparisonBounds.maxWaitMs),
  "time for a worker thread to compare two versions on request": duration(comparisonBounds.maxComputeMs),
  "changes about which a process asks the model at a time": count(maxModelCalls),
  "attempts to analyse a change that may ask the model": count(maxModelAttempts),
  "attempts to analyse the text of a change": count(maxTextAttempts),
};

it("the tables of bounds have the numbers of the code", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../content/docs/security.md"), "utf8");
  const tables = page.matchAll(/\| What \| Bound \|\n\|---\|---\|\n((?:\|.*\|\n)+)/g);
  const lines = [...tables].flatMap(([, rows = ""]) => rows.trim().split("\n"));
  const cellsOf = (line: string) =>
    line
      .split("|")
      .slice(1, 3)
      .map((cell) => cell.trim());
  expect(Object.fromEntries(lines.map(cellsOf))).toEqual(bounds);
});
