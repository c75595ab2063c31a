import { describe, expect, inject, it } from "vitest";
import { issueKey } from "#tests/support/keys";
import { readStream } from "#tests/support/read-stream";

async function rotate(key?: string, query = "", origin = inject("baseUrl")) {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const answer = await readStream(`${origin}/api/v1/keys/rotate${query}`, { method: "POST", headers });
  return { ...answer, json: JSON.parse(answer.body.toString()) };
}

describe("POST /api/v1/keys/rotate", () => {
  it("returns a new key, and the old one stops working at once", async () => {
    const { key } = await issueKey("starter");
    const { status, headers, json } = await rotate(key);
    expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(json).toEqual({
      new_key: expect.stringMatching(/^ltf_[0-9A-Za-z]{38}$/),
      rotated_at: expect.any(String),
      note: expect.any(String),
    });
    expect([headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]]).toEqual(["5000", "4999"]);
    expect(new Date(Number(headers["x-ratelimit-reset"]) * 1000).toISOString()).toMatch(/T00:00:00.000Z$/);
    const again = await rotate(key);
    expect([again.status, again.json.code, again.headers["www-authenticate"]]).toEqual([401, "unauthorized", "Bearer"]);
    const next = await rotate(json.new_key);
    expect([next.status, next.headers["x-ratelimit-remaining"]]).toEqual([200, "4998"]);
  });

  it.each(["?grace=false", "?grace=1", "?grace=", "?grace=TRUE", "?grace=true&grace=true"])(
    "refuses %s, and the key stays as it is",
    async (query) => {
      const { key } = await issueKey("free");
      const { status, json } = await rotate(key, query);
      expect([status, json.code]).toEqual([400, "bad_request"]);
      expect((await rotate(key)).status).toBe(200);
    },
  );

  it("accepts only POST, and no scripts of other origins", async () => {
    const url = `${inject("baseUrl")}/api/v1/keys/rotate`;
    const { status, headers } = await readStream(url);
    expect([status, headers.allow]).toEqual([405, "POST, OPTIONS"]);
    const preflight = await readStream(url, { method: "OPTIONS" });
    expect([preflight.status, preflight.headers["access-control-allow-origin"]]).toEqual([204, undefined]);
  });
});
