import { describe, expect, inject, it } from "vitest";
import { parseRawResponse, type RawResponse, sendRaw } from "#tests/support/send-raw";

/** Sends a request and returns the response. The connection is closed after it. */
async function send(requestLine: string, headers: string[] = ["Host: a.example"]): Promise<RawResponse> {
  const lines = [`${requestLine} HTTP/1.1`, ...headers, "Connection: close", "", ""];
  const response = parseRawResponse(await sendRaw(inject("baseUrl"), lines.join("\r\n")));
  if (!response) throw new Error(`no response to ${requestLine}`);
  return response;
}

async function sendForError(requestLine: string, headers?: string[]) {
  const { status, headers: given, body } = await send(requestLine, headers);
  const { code } = JSON.parse(body) as { code: string };
  return { status, code, allow: given.get("allow") };
}

const methodNotAllowed = { status: 405, code: "method_not_allowed" };

describe("the self-hosted server", () => {
  it.each([
    ["TRACE /api/v1/health", "GET, HEAD, OPTIONS"],
    ["TRACE /api/v1/vendors/stripe/content", "GET, HEAD, OPTIONS"],
    ["PROPFIND /api/mcp/v2", "POST, GET, DELETE, HEAD, OPTIONS"],
    ["PUT /api/v1/health", "GET, HEAD, OPTIONS"],
    ["TRACE /docs", "GET, HEAD, POST, OPTIONS"],
    ["DELETE /icon.svg", "GET, HEAD, POST, OPTIONS"],
  ])("answers %s with 405 and the methods of the path", async (requestLine, allow) => {
    expect(await sendForError(requestLine)).toEqual({ ...methodNotAllowed, allow });
  });

  it("answers a method that no route can have on an unknown API path with 404", async () => {
    expect(await sendForError("TRACE /api/v1/nothing")).toMatchObject({ status: 404, code: "not_found" });
  });

  it.each(["GET *", "TRACE *", "GET ftp://a.example/", "GET http://a_b|c/", "GET /%ff", "GET api/v1/health", "GET"])(
    "answers %s with a JSON 400",
    async (requestLine) => {
      expect(await sendForError(requestLine)).toMatchObject({ status: 400, code: "bad_request" });
    },
  );

  it.each([[[]], [["Host: a.example", "Host: b.example"]]])("answers %j with a JSON 400", async (headers) => {
    expect(await sendForError("GET /api/v1/health", headers)).toMatchObject({ status: 400, code: "bad_request" });
  });

  it.each(["%", "x", "{}", "[1]"])("answers a page's state %s of Next.js's client with a JSON 400", async (state) => {
    const headers = ["Host: a.example", "RSC: 1", `Next-Router-State-Tree: ${state}`];
    expect(await sendForError("GET /docs/nothing", headers)).toMatchObject({ status: 400, code: "bad_request" });
  });

  it("answers headers that are too large with a JSON 431", async () => {
    const headers = ["Host: a.example", `X-Large: ${"x".repeat(20_000)}`];
    expect(await sendForError("GET /api/v1/health", headers)).toMatchObject({ status: 431, code: "bad_request" });
  });

  it.each(["OPTIONS *", "OPTIONS http://a.example"])("answers %s with its methods", async (requestLine) => {
    const { status, headers } = await send(requestLine);
    expect([status, headers.get("allow")]).toEqual([204, "GET, HEAD, POST, PATCH, DELETE, OPTIONS"]);
  });

  it("answers OPTIONS for a page", async () => {
    expect((await send("OPTIONS /docs")).status).toBe(204);
  });

  it("serves a URL as the request target like its path, for the URL's host", async () => {
    const { status, body } = await send("GET http://user@b.example:81/api/v1/replay?x=1");
    expect([status, JSON.parse(body).random_url]).toEqual([200, "http://b.example:81/api/v1/replay/random"]);
    expect((await send("HEAD http://b.example")).status).toBe(200);
  });

  it.each(["/api/v1/health", "/openapi.json", "/api/v1/nothing"])("ignores the header RSC for %s", async (path) => {
    const { status, headers } = await send(`GET ${path}`, ["Host: a.example", "RSC: 1", "Next-Router-Prefetch: 1"]);
    expect([status < 300 || status === 404, headers.get("content-type")]).toEqual([
      true,
      expect.stringContaining("application/json"),
    ]);
  });

  it("answers a request that offers an upgrade, as Java's client does", async () => {
    const headers = ["Host: a.example", "Upgrade: h2c", "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA"];
    const text = ["GET /api/v1/health HTTP/1.1", ...headers, "Connection: Upgrade, HTTP2-Settings, close", "", ""];
    expect(parseRawResponse(await sendRaw(inject("baseUrl"), text.join("\r\n")))?.status).toBe(200);
  });

  it.each([
    ["a body that fits", 2, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /],
    ["a body that is too large", 1024 ** 3, /^HTTP\/1\.1 413 /],
  ])("that waits for 100 Continue with %s is told before it sends it", async (_name, byteSize, expected) => {
    const headers = ["Host: a.example", `Content-Length: ${byteSize}`, "Expect: 100-continue", "Connection: close"];
    const body = byteSize === 2 ? "{}" : "";
    const text = ["POST /api/v1/match HTTP/1.1", ...headers, "", body];
    expect(await sendRaw(inject("baseUrl"), text.join("\r\n"))).toMatch(expected);
  });
});
