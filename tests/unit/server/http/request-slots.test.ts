import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { RequestSlots, requestBounds } from "#lib/server/http/client-bounds";

const slots = new RequestSlots();

/** Starts a request of a client. Returns the refusal, if there is one, and a function that ends the request. */
function start(address: string) {
  const response = new EventEmitter();
  const refusal = slots.take(address, response as ServerResponse);
  return { refusal, end: () => response.emit("close") };
}

it("a client with too many requests in progress gets a 503 until one of them ends, and leaves room for others", () => {
  const requests = Array.from({ length: requestBounds.maxPerNetwork }, () => start("203.0.113.1"));
  expect(requests.every(({ refusal }) => refusal === undefined)).toBe(true);
  const { refusal } = start("203.0.113.1");
  expect([refusal?.status, refusal?.headers["Retry-After"]]).toEqual([503, "60"]);
  expect(start("203.0.113.2").refusal).toBeUndefined();
  requests[0]?.end();
  expect(start("203.0.113.1").refusal).toBeUndefined();
});
