import { createHash } from "node:crypto";
import { getEventListeners } from "node:events";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { StartTimer } from "#lib/platform/timer";
import { fetchFile } from "#lib/tracking/fetching/index";
import { fetchContext, fetchFirst, userAgent } from "#tests/support/fetch-context";
import { startTestVendors, type TestVendor, type TestVendors } from "#tests/support/test-vendors";
import { bytes, file, redirectChain, silence, status } from "#tests/support/vendor-answers";
import { createHazards } from "#tests/support/vendor-hazards";

let testVendors: TestVendors;
let vendor: TestVendor;
beforeAll(async () => {
  testVendors = await startTestVendors();
  [vendor] = testVendors.vendors as [TestVendor];
});
afterAll(() => testVendors.close());
beforeEach(() => {
  for (const { slug } of testVendors.vendors) {
    testVendors.setAnswer(slug, file());
    testVendors.setRobotsAnswer(slug, status(404));
    testVendors.setVersion(slug, 1);
  }
  testVendors.clearRequests();
});

const fileRequests = () => testVendors.requests.filter(({ path }) => path !== "/robots.txt");

describe("a successful fetch", () => {
  it("returns the text, its size and its validators", async () => {
    testVendors.setAnswer(vendor.slug, file({ lastModified: true }));
    const text = testVendors.textOf(vendor.slug);
    expect(await fetchFirst(testVendors)).toEqual({
      kind: "content",
      text,
      byteSize: Buffer.byteLength(text),
      httpStatus: 200,
      responseTimeMs: expect.any(Number),
      etag: '"v1"',
      lastModified: "Thu, 01 Jan 2026 00:00:00 GMT",
      requestCount: 1,
    });
  });

  it("sends our user agent and prefers markdown", async () => {
    await fetchFirst(testVendors);
    const [{ method, headers } = { method: "", headers: {} }] = fileRequests();
    expect(method).toBe("GET");
    expect(headers).toMatchObject({ "user-agent": userAgent, accept: "text/markdown, text/plain;q=0.9, */*;q=0.1" });
    expect(headers).not.toHaveProperty("if-none-match");
    expect(headers).not.toHaveProperty("if-modified-since");
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync],
  ])("returns the same text in %s", async (encoding, pack) => {
    testVendors.setAnswer(vendor.slug, bytes(pack("# A file – packed\n"), { "content-encoding": encoding }));
    expect(await fetchFirst(testVendors)).toMatchObject({ kind: "content", text: "# A file – packed\n", byteSize: 20 });
  });

  it("follows five redirects and counts each of them", async () => {
    testVendors.setAnswer(vendor.slug, redirectChain(5));
    expect(await fetchFirst(testVendors)).toMatchObject({ kind: "content", requestCount: 6 });
  });

  it("keeps a UTF-8 byte-order mark, so that the hash equals the file's", async () => {
    const sent = Buffer.from("\ufeff# Marked\n");
    testVendors.setAnswer(vendor.slug, bytes(sent));
    const fetched = await fetchFirst(testVendors);
    const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");
    expect(fetched.kind === "content" && sha256(fetched.text)).toBe(sha256(sent));
  });
});

describe("a conditional fetch", () => {
  const known = { etag: '"v1"', lastModified: "Thu, 01 Jan 2026 00:00:00 GMT" };

  it("sends both validators and keeps them if nothing changed", async () => {
    testVendors.setAnswer(vendor.slug, file());
    expect(await fetchFirst(testVendors, {}, known)).toEqual({
      kind: "not_modified",
      httpStatus: 304,
      ...known,
      responseTimeMs: expect.any(Number),
      requestCount: 1,
    });
    expect(fileRequests()[0]?.headers).toMatchObject({
      "if-none-match": known.etag,
      "if-modified-since": known.lastModified,
    });
  });

  it("returns the new version if there is one", async () => {
    testVendors.setVersion(vendor.slug, 2);
    expect(await fetchFirst(testVendors, {}, known)).toMatchObject({ kind: "content", etag: '"v2"' });
    testVendors.setVersions(vendor.slug, ["# One\n", "# Two\n"]);
    expect(await fetchFirst(testVendors, {}, known)).toMatchObject({ text: "# Two\n" });
  });

  it("uses the validators of a 304 that has some, and keeps the old ones otherwise", async () => {
    testVendors.setAnswer(vendor.slug, status(304, { etag: 'W/"again"' }));
    expect(await fetchFirst(testVendors, {}, known)).toMatchObject({ kind: "not_modified", etag: 'W/"again"' });
    testVendors.setAnswer(vendor.slug, status(304));
    expect(await fetchFirst(testVendors, {}, known)).toMatchObject({ kind: "not_modified", ...known });
  });

  it("never keeps or sends a validator that is not valid in a header", async () => {
    testVendors.setAnswer(
      vendor.slug,
      bytes("# A\n", { etag: `"${"a".repeat(1_001)}"`, "last-modified": "\u00e9t\u00e9" }),
    );
    const unusable = { etag: '"a\r\nx: y"', lastModified: "été" };
    expect(await fetchFirst(testVendors, {}, unusable)).toMatchObject({
      kind: "content",
      etag: null,
      lastModified: null,
    });
    expect(fileRequests()[0]?.headers).not.toHaveProperty("if-none-match");
  });
});

describe("a failed fetch", () => {
  const hazards = createHazards().map(({ name }, index) => [name, index] as const);

  it.each(hazards)("reports the reason: %s", async (_name, index) => {
    const { failure, answer = file(), robots = status(404) } = createHazards()[index] ?? { failure: "" };
    testVendors.setAnswer(vendor.slug, answer);
    testVendors.setRobotsAnswer(vendor.slug, robots);
    const { fetch } = fetchContext(testVendors);
    // The time for the headers, or else for the whole response, is over once the server has got the request.
    const headersTimeoutMs = 1;
    const startTimer: StartTimer = (timeoutMs, end) => {
      const known = fileRequests().length;
      const isUsed = (timeoutMs === headersTimeoutMs) === (answer === silence);
      const timer = setInterval(() => isUsed && fileRequests().length > known && end(), 5);
      return () => clearInterval(timer);
    };
    const timed: typeof fetch = (url, options) => fetch(url, { headersTimeoutMs, startTimer, ...options });
    const fetched = await fetchFirst(testVendors, failure === "timeout" ? { fetch: timed } : {});
    expect(fetched).toMatchObject({ kind: "failed", failure, detail: expect.stringMatching(/\S/) });
    expect(fetched.requestCount).toBe(fileRequests().length);
  });

  it("an unknown host is reported as such, not as an unreadable robots.txt", async () => {
    const { fetch } = fetchContext(testVendors);
    const lost: typeof fetch = (url, options) => fetch(url, { ...options, resolve: async () => [] });
    const fetched = await fetchFirst(testVendors, { fetch: lost }, { url: "https://vendor.example/llms.txt" });
    expect(fetched).toMatchObject({ failure: "dns_failed", requestCount: 0 });
  });

  it("names only the host", async () => {
    testVendors.setAnswer(vendor.slug, status(404));
    const fetched = await fetchFirst(testVendors, {}, { url: `${vendor.origin}/private-path.txt?token=hunter2` });
    expect(fetched).toMatchObject({ failure: "http_404", detail: `${vendor.host} answered 404` });
  });

  it.each([201, 204, 206, 300, 304, 305])("a %i is not a file", async (code) => {
    testVendors.setAnswer(vendor.slug, status(code, {}, [204, 304].includes(code) ? "" : "# A file\n"));
    expect(await fetchFirst(testVendors)).toMatchObject({ failure: "http_unexpected", httpStatus: code });
  });

  it("an error status with a broken body is reported by its status", async () => {
    testVendors.setAnswer(vendor.slug, status(404, { "content-encoding": "gzip" }, "no gzip"));
    expect(await fetchFirst(testVendors)).toMatchObject({ failure: "http_404" });
    testVendors.setAnswer(vendor.slug, ({ response }) => {
      response.writeHead(403).write("a body that never ends");
    });
    expect(await fetchFirst(testVendors)).toMatchObject({ failure: "http_4xx" });
  });

  it("a bug in the program is thrown instead of blaming the vendor", async () => {
    const fault = new TypeError("a fault");
    await expect(fetchFirst(testVendors, { fetch: () => Promise.reject(fault) })).rejects.toBe(fault);
  });
});

describe("thirty vendors at once", () => {
  it("are all fetched with the right results", async () => {
    const { signal } = new AbortController();
    const warnings: string[] = [];
    const noteWarning = ({ message }: Error) => warnings.push(message);
    process.on("warning", noteWarning);
    const context = fetchContext(testVendors, { signal });
    const unknown = { etag: null, lastModified: null };
    const fetched = await Promise.all(testVendors.vendors.map(({ url }) => fetchFile({ url, ...unknown }, context)));
    expect(fetched.map((one) => one.kind === "content" && one.text)).toEqual(
      testVendors.vendors.map(({ slug }) => testVendors.textOf(slug)),
    );
    expect(testVendors.requests.length).toBe(60);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", noteWarning);
    expect([warnings, getEventListeners(signal, "abort").length]).toEqual([[], 0]);
  });
});
