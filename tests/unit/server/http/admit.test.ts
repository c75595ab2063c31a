import { expect, test } from "vitest";
import { anonymousCaller } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { limitError } from "#lib/server/http/admit";

const resetAt = new Date("2026-11-22T00:00:00Z");
const local = "http://127.0.0.1:3000";

test.each([
  ["a client of this machine", local, "127.0.0.1", /keys create --tier pro$/],
  ["a client of another machine", local, "203.0.113.1", /GET \/api\/v1\/pricing/],
  // The proxy is on this machine, and not trusted.
  ["a client of a public server behind a proxy", "https://tapedeck.example", "127.0.0.1", /GET \/api\/v1\/pricing/],
])("%s is told how to get a higher limit", (_name, origin, address, advice) => {
  const count = { allowed: false, limit: 2, remaining: 0, resetAt };
  const context = { caller: anonymousCaller, origin, clientAddress: () => address, clock: systemClock };
  expect(limitError(count, context).message).toMatch(advice);
});
