import { describe, expect, inject, it } from "vitest";
import { adapters } from "#tests/support/adapters";
import { issueKey, withAppDatabase } from "#tests/support/keys";
import { readStream } from "#tests/support/read-stream";

/** Counted, then rejected because of its query, so that the key is not rotated. */
function count(origin: string, headers: Record<string, string>) {
  return readStream(`${origin}/api/v1/keys/rotate?grace=no`, { method: "POST", headers });
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const remainingOf = ({ headers }: { headers: Record<string, unknown> }) => Number(headers["x-ratelimit-remaining"]);

describe("the daily limit", () => {
  it("allows exactly 100 of 200 concurrent requests on two instances", async () => {
    const { key } = await issueKey("free");
    const origins = adapters.map(([, origin]) => origin());
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => count(origins[index % origins.length] as string, bearer(key))),
    );
    const passed = answers.filter(({ status }) => status === 400);
    const refused = answers.filter(({ status }) => status === 429);
    expect([passed.length, refused.length]).toEqual([100, 100]);
    expect(passed.map(remainingOf).sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index));
    for (const { headers, body } of refused) {
      expect(headers).toMatchObject({ "x-ratelimit-limit": "100", "x-ratelimit-remaining": "0" });
      const waitMs = Number(headers["x-ratelimit-reset"]) * 1000 - Date.now();
      expect(Math.abs(waitMs / 1000 - Number(headers["retry-after"]))).toBeLessThan(30);
      expect(JSON.parse(body.toString())).toMatchObject({ code: "rate_limited", status: 429 });
    }
  });

  it("sends no limit headers on an unlimited plan", async () => {
    const { key } = await issueKey("enterprise_plus");
    const { status, headers } = await count(inject("baseUrl"), bearer(key));
    expect([status, headers["x-ratelimit-limit"], headers["x-ratelimit-reset"]]).toEqual([400, undefined, undefined]);
  });

  it("counts a client without a key by its address, whatever headers it sends", async () => {
    const said = ["198.51.100.1", "198.51.100.2", "198.51.100.3, 198.51.100.4", "2001:db8::1"];
    const first = remainingOf(await count(inject("baseUrl"), {}));
    const answers = [];
    for (const address of said) answers.push(await count(inject("baseUrl"), { "x-forwarded-for": address }));
    const left = answers.map(remainingOf);
    // Other tests use the same address, so the count may have increased by more than one.
    for (const [index, remaining] of left.entries())
      expect(remaining).toBeLessThan(index === 0 ? first : (left[index - 1] as number));
  });

  it("stores no address, only its hash", async () => {
    await count(inject("baseUrl"), {});
    const windows = await withAppDatabase((database) => database.limitWindow.findMany());
    expect(windows.length).toBeGreaterThan(0);
    for (const { subject } of windows)
      expect(subject).toMatch(/^(?:checkout:\d{1,2}:)?(key:[0-9a-f-]{36}|address:[\w-]{22})$/);
  });
});
