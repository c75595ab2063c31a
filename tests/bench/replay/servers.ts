import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { aimockPrompt, type BenchCassette, type CassetteName } from "./cassettes";
import type { StreamGroup } from "./load-job";

export type Cassettes = Record<CassetteName, BenchCassette>;

/** A server that the benchmark can start, and that serves the two cassettes. */
export type BenchServer = {
  name: string;
  /** Description for the report, in one line. */
  description: string;
  boundary: StreamGroup["boundary"];
  /** Returns Node's arguments to serve the cassettes on a port of 127.0.0.1. */
  nodeArguments: (port: number, cassettes: Cassettes) => string[];
  environment: (port: number, folder: string) => Record<string, string>;
  /** The HTTP request that starts the replay of a cassette. */
  request: (cassette: BenchCassette) => string;
  /** A path that answers once the server is ready. */
  readyPath: string;
  /** Returns why it cannot be started on this machine; undefined if it can. */
  missing: () => string | undefined;
};

const root = fileURLToPath(new URL("../../../", import.meta.url));
const inRoot = (path: string) => `${root}${path}`;
const commonHeaders = "Host: 127.0.0.1\r\nAccept: text/event-stream\r\nAccept-Encoding: identity\r\n";

function replayRequest({ id }: BenchCassette): string {
  return `GET /api/v1/replay/${id} HTTP/1.1\r\n${commonHeaders}\r\n`;
}

function messagesRequest({ name }: BenchCassette): string {
  const messages = [{ role: "user", content: aimockPrompt(name) }];
  const body = JSON.stringify({ model: "claude-bench-1", max_tokens: 1024, stream: true, messages });
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nx-api-key: none\r\n`;
  return `POST /v1/messages HTTP/1.1\r\n${commonHeaders}${headers}\r\n${body}`;
}

function bareServer(name: string, description: string, flags: string[]): BenchServer {
  return {
    name,
    description,
    boundary: "byte",
    nodeArguments: (port, { c60, c600 }) => [
      inRoot("tests/bench/replay/bare.mjs"),
      `${port}`,
      ...flags,
      c60.file,
      c600.file,
    ],
    environment: () => ({}),
    request: replayRequest,
    readyPath: "/",
    missing: () => undefined,
  };
}

function needsBuild(): string | undefined {
  return existsSync(inRoot(".next/BUILD_ID")) ? undefined : "there is no build: run `npm run build` first";
}

function tapedeckEnvironment(port: number, folder: string): Record<string, string> {
  return {
    NODE_ENV: "production",
    PORT: `${port}`,
    CASSETTE_STORE: "folder",
    CASSETTE_DIR: `${folder}/cassettes`,
    LOG_LEVEL: "warn",
    NEXT_TELEMETRY_DISABLED: "1",
  };
}

const selfHostedScript = inRoot("lib/server/http/server.mjs");

/** All servers of the benchmark, in the order of the report. */
export const servers: BenchServer[] = [
  bareServer("bare", "`node:http` and one timer wheel, nothing else; the baseline", []),
  bareServer("bare-raw", "the same, but writing HTTP chunks framed beforehand straight to the socket", ["--raw"]),
  {
    name: "tapedeck",
    description: "Tapedeck's self-hosted server, as `npm run up` starts it",
    boundary: "byte",
    nodeArguments: (port) => [selfHostedScript, "--port", `${port}`, "--host", "127.0.0.1"],
    environment: tapedeckEnvironment,
    request: replayRequest,
    readyPath: "/api/v1/health",
    missing: () => (existsSync(selfHostedScript) ? needsBuild() : "lib/server/http/server.mjs does not exist"),
  },
  {
    name: "tapedeck-route",
    description: "Tapedeck's route handler under plain `next start`, as Vercel runs it",
    boundary: "byte",
    nodeArguments: (port) => [
      inRoot("node_modules/next/dist/bin/next"),
      "start",
      root,
      "-p",
      `${port}`,
      "-H",
      "127.0.0.1",
    ],
    environment: tapedeckEnvironment,
    request: replayRequest,
    readyPath: "/api/v1/health",
    missing: needsBuild,
  },
  {
    name: "aimock",
    description: "`@copilotkit/aimock` on a fixture with the same text and delays",
    boundary: "event",
    nodeArguments: (port, { c60, c600 }) => [
      inRoot("node_modules/@copilotkit/aimock/dist/cli.js"),
      ...["-p", `${port}`, "-f", c60.aimockFixtureFile, "-f", c600.aimockFixtureFile, "--log-level", "silent"],
    ],
    environment: () => ({ NODE_ENV: "production" }),
    request: messagesRequest,
    readyPath: "/",
    missing: () => undefined,
  },
];

/** The servers measured by default. */
export const defaultServerNames = ["bare", "tapedeck", "tapedeck-route", "aimock"];
