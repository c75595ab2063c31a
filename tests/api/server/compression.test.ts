import { expect, inject, it } from "vitest";

async function get(path: string, { headers, ...init }: RequestInit = {}) {
  const given = { "accept-encoding": "gzip", ...(headers as Record<string, string>) };
  const response = await fetch(`${inject("baseUrl")}${path}`, { ...init, headers: given });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

it.each([
  ["/api/v1/models", "Accept-Encoding"],
  ["/api/v1/cassettes", "Accept-Encoding"],
  ["/api/v1/cassettes/legal/nda-review", "Accept-Encoding"],
  ["/api/v1/feed", "Authorization, Accept-Encoding"],
])("%s is compressed for who accepts it, with its length", async (path, vary) => {
  const [zipped, plain] = [await get(path), await get(path, { headers: { "accept-encoding": "identity" } })];
  expect([zipped.headers.get("content-encoding"), plain.headers.get("content-encoding")]).toEqual(["gzip", null]);
  expect([zipped.headers.get("vary"), plain.headers.get("vary")]).toEqual([vary, vary]);
  expect([zipped.text, zipped.headers.get("etag")]).toEqual([plain.text, `W/${plain.headers.get("etag")}`]);
  const byteSize = Buffer.byteLength(plain.text);
  expect(Number(plain.headers.get("content-length"))).toBe(byteSize);
  expect(Number(zipped.headers.get("content-length"))).toBeLessThan(byteSize / 2);
  for (const { headers } of [zipped, plain]) {
    const known = await get(path, { headers: { "if-none-match": String(headers.get("etag")) } });
    expect([known.status, known.text, known.headers.get("vary")]).toEqual([304, "", vary]);
  }
});

it.each(["/api/v1/stats", "/api/v1/replay/legal/nda-review?speed=max", "/api/v1/cassettes/legal/nda-review?part=body"])(
  "%s is not: it is short, or a replay",
  async (path) => {
    const { status, headers } = await get(path);
    expect([status, headers.get("content-encoding")]).toEqual([200, null]);
  },
);
