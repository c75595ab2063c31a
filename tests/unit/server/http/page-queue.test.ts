import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { beforeEach, describe, expect, it } from "vitest";
import { PageQueue } from "#lib/server/http/page-queue";
import { eventually } from "#tests/support/eventually";

const bounds = {
  maxRendering: 2,
  maxRenderMs: 60_000,
  turnsBetween: 0,
  maxWaiting: 6,
  maxPerNetwork: 4,
  maxForLoopback: 5,
};
let queue: PageQueue;
let started: string[];
beforeEach(() => {
  queue = new PageQueue(bounds);
  started = [];
});

/** Asks for a page. Returns the response, and the refusal if there is one. */
function ask(name: string, address = "203.0.113.1") {
  const response = new EventEmitter();
  const refusal = queue.add(address, response as ServerResponse, () => started.push(name));
  return { refusal, close: () => response.emit("close") };
}

describe("pages", () => {
  it("are rendered two at a time, the others in their order", () => {
    const [a, b] = [ask("a"), ask("b"), ask("c"), ask("d")];
    expect(started).toEqual(["a", "b"]);
    b.close();
    expect(started).toEqual(["a", "b", "c"]);
    a.close();
    expect(started).toEqual(["a", "b", "c", "d"]);
  });

  it("are rendered for one client after another", () => {
    const first = [ask("a1"), ask("a2"), ask("a3"), ask("a4")];
    ask("b1", "203.0.113.2");
    ask("b2", "203.0.113.2");
    ask("c1", "203.0.113.3");
    for (const { close } of first.slice(0, 3)) close();
    expect(started).toEqual(["a1", "a2", "a3", "b1", "c1"]);
  });

  it("are dropped when their connection closes while they wait", () => {
    const [first] = [ask("a"), ask("b")];
    ask("dropped").close();
    ask("c");
    first?.close();
    expect(started).toEqual(["a", "b", "c"]);
  });

  it("are refused with a 503 beyond the bound of their client, and beyond that of all", () => {
    for (let count = 0; count < 6; count += 1) expect(ask(String(count)).refusal).toBeUndefined();
    const { refusal } = ask("refused");
    expect([refusal?.code, refusal?.headers["Retry-After"]]).toEqual(["service_unavailable", "5"]);
    expect(ask("other", "203.0.113.2").refusal).toBeUndefined();
    expect(ask("other", "127.0.0.1").refusal).toBeUndefined();
    expect(ask("refused", "203.0.113.3").refusal?.code).toBe("service_unavailable");
    expect(started).toEqual(["0", "1"]);
  });

  it("that only wait for a slow reader do not hold up others", async () => {
    queue = new PageQueue({ ...bounds, maxRenderMs: 5 });
    const slow = [ask("a"), ask("b")];
    ask("c");
    await eventually(() => expect(started).toEqual(["a", "b", "c"]));
    for (const { close } of slow) close();
    for (const name of ["d", "e"]) ask(name);
    await eventually(() => expect(started).toEqual(["a", "b", "c", "d", "e"]));
  });
});
