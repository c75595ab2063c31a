import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { logText } from "#lib/platform/log-text";

const time = new Date("2026-11-25T12:34:56").getTime();
const textOf = (entry: object, hasColor = false) =>
  logText(JSON.stringify({ level: 30, time, ...entry }), { hasColor });
const request = { requestId: "r-1", method: "GET", path: "/api/v1/cassettes", status: 404, ms: 7, msg: "request" };

it.each([
  ["a request", request, "12:34:56 GET /api/v1/cassettes 404 7 ms\n"],
  ["a health check", { ...request, path: "/api/v1/health", status: 200 }, ""],
  ["a failed health check", { ...request, path: "/api/v1/health" }, "12:34:56 GET /api/v1/health 404 7 ms\n"],
  ["what a job did", { job: "prune", runs: 0, rows: 2, msg: "done" }, '12:34:56 done job="prune" rows=2\n'],
  [
    "an error",
    { level: 50, msg: "failed", err: { stack: "Error: no\n    at x" } },
    "12:34:56 failed\nError: no\n    at x\n",
  ],
])("%s is a line for people", (_title, entry, expected) => {
  expect(textOf(entry)).toBe(expected);
  expect(stripVTControlCharacters(textOf(entry, true))).toBe(expected);
});

it("has colour where there is a terminal", () => {
  expect(textOf(request, true)).toContain("\u001b[33m404");
});
