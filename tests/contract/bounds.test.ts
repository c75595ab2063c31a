import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { maxResultLength } from "#lib/contract/tool";
import { maxHitCount } from "#lib/discovery/search/schemas";
import { maxStallMs } from "#lib/replay/playback/pacer";
import { connectionBounds } from "#lib/server/http/connection-bounds";
import { pageBounds } from "#lib/server/http/page-queue";
import { maxBodyByteSize } from "#lib/server/http/parse-input";
import { requestBounds } from "#lib/server/http/request-slots";
import { maxMcpBodyByteSize } from "#lib/server/mcp/endpoints";
import { requestTimeoutMs } from "#lib/server/mcp/mcp-request";
import { maxBufferedCount, streamLifeMs } from "#lib/server/mcp/notification-stream";
import { subscriptionLifeMs } from "#lib/server/mcp/subscription-streams";
import { maxSessionCount, maxSubscriptionCount, sessionIdleMs } from "#lib/server/mcp-sessions/sessions";
import { maxStreamCount, maxStreamsPerKey, maxStreamsPerNetwork } from "#lib/server/mcp-sessions/stream-slots";
import { getFeedEndpoint } from "#lib/tracking/feed/endpoints";
import { serverOptions } from "../../lib/server/http/server-options.mjs";
import { maxWaitingPerSocket } from "../../lib/server/http/start-gate.mjs";

const count = (value: number) => value.toLocaleString("en-US");
const seconds = (ms: number) => `${count(ms / 1_000)} s`;
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
  "time for the headers": seconds(serverOptions.headersTimeout),
  "time for the whole request": seconds(serverOptions.requestTimeout),
  "idle time of a connection": seconds(serverOptions.keepAliveTimeout),
  "request body": kibibytes(maxBodyByteSize),
  "request body for MCP": mebibytes(maxMcpBodyByteSize),
  "pages rendered at the same time": count(pageBounds.maxRendering),
  "pages that wait": count(pageBounds.maxWaiting),
  "pages of a network that wait": count(pageBounds.maxPerNetwork),
  "pages of a loopback address that wait": count(pageBounds.maxForLoopback),
  "a replay whose client reads nothing": seconds(maxStallMs),
  "time for an MCP request": seconds(requestTimeoutMs),
  "open MCP streams": count(maxStreamCount),
  "open MCP streams of a network without a key": count(maxStreamsPerNetwork),
  "open MCP streams of a key": count(maxStreamsPerKey),
  "lifetime of a `subscriptions/listen` stream": seconds(subscriptionLifeMs),
  "lifetime of a session's stream": seconds(streamLifeMs),
  "events buffered for a session's stream": count(maxBufferedCount),
  "MCP sessions of a key, or of a network without a key": count(maxSessionCount),
  "idle time of an MCP session": seconds(sessionIdleMs),
  "subscriptions of an MCP session": count(maxSubscriptionCount),
  "entries of a page of the feed": count(maxFeedPage ?? 0),
  "search results": count(maxHitCount),
  "characters of an MCP tool's result": count(maxResultLength),
};

it("the table of bounds has the numbers of the code", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../content/docs/security.md"), "utf8");
  const table = /\| What \| Bound \|\n\|---\|---\|\n((?:\|.*\|\n)+)/.exec(page)?.[1] ?? "";
  const rows = table
    .trim()
    .split("\n")
    .map((line) =>
      line
        .split("|")
        .slice(1, 3)
        .map((cell) => cell.trim()),
    );
  expect(Object.fromEntries(rows)).toEqual(bounds);
});
