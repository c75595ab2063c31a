import { describe, expect, inject, it } from "vitest";
import { readStream } from "#tests/support/read-stream";
import packageJson from "../../../package.json" with { type: "json" };

describe("GET /api/v1/health", () => {
  it("returns ok, the version, the time and that the database is connected", async () => {
    const { status, headers, body } = await readStream(`${inject("baseUrl")}/api/v1/health`);
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe("no-cache");
    const health = JSON.parse(body.toString());
    expect(health).toEqual({
      status: "ok",
      version: packageJson.version,
      timestamp: expect.any(String),
      db_connected: true,
    });
    expect(Math.abs(Date.parse(health.timestamp) - Date.now())).toBeLessThan(60_000);
  });
});

describe("GET /api/v1/health?ready=1", () => {
  it("is 200 while the database is connected, and takes no other value", async () => {
    const statusOf = async (query: string) => (await readStream(`${inject("baseUrl")}/api/v1/health?${query}`)).status;
    expect([await statusOf("ready=1"), await statusOf("ready=yes")]).toEqual([200, 400]);
  });
});

describe("GET /metrics", () => {
  it("is a 404 without a token in the configuration, also with one in the request", async () => {
    for (const origin of [inject("baseUrl"), inject("routeUrl")]) {
      const headers = { authorization: "Bearer a token of the metrics" };
      const { status, body } = await readStream(`${origin}/metrics`, { headers });
      expect([status, JSON.parse(body.toString())]).toMatchObject([404, { code: "not_found", status: 404 }]);
    }
  });
});

describe("a path under /api", () => {
  it.each([
    "/api",
    "/api/",
    "/api/v2/x",
    "/api/v1/nothing/here",
    "/api/v1/replay/legal/nda-review/more",
    "/api/v1/cassettes.json",
  ])("without an endpoint answers with a JSON 404: %s", async (path) => {
    for (const method of ["GET", "POST"]) {
      const { status, headers, body } = await readStream(`${inject("baseUrl")}${path}`, { method });
      expect([path, status]).toEqual([path, 404]);
      expect(headers["content-type"]).toMatch(/^application\/json/);
      expect(JSON.parse(body.toString())).toMatchObject({ code: "not_found", status: 404, error: expect.any(String) });
    }
  });
});
