import { describe, expect, inject, it } from "vitest";
import { getPricing } from "#lib/accounts/plans/index";
import { readStream } from "#tests/support/read-stream";

const path = () => `${inject("baseUrl")}/api/v1/pricing`;

describe("GET /api/v1/pricing", () => {
  it("returns the three public tiers to everyone, with or without a key", async () => {
    const sets: Record<string, string>[] = [{}, { authorization: "Bearer broken" }];
    for (const headers of sets) {
      const { status, headers: sent, body } = await readStream(path(), { headers });
      expect([status, JSON.parse(body.toString())]).toEqual([200, getPricing()]);
      expect(sent["access-control-allow-origin"]).toBe("*");
      expect(sent["x-ratelimit-limit"]).toBeUndefined();
    }
  });
});
