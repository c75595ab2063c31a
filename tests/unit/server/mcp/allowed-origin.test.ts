import { describe, expect, it } from "vitest";
import { isAllowedOrigin } from "#lib/server/mcp/verbs";

const own = { publicHostnames: ["tapes.example"], isProxied: false, origin: null };

describe("an MCP request", () => {
  it.each(["localhost:3000", "legal.localhost:3000", "127.0.0.1:3000", "[::1]:3000", "192.168.1.5", "tapes.example"])(
    "to the host %s is allowed",
    (host) => expect(isAllowedOrigin({ ...own, host })).toBe(true),
  );

  it.each(["evil.example:3000", "localhost.evil.example", "127.0.0.1.evil.example", "", null, "tapes.example.evil"])(
    "to the host %s is refused, because any DNS name can point here",
    (host) => expect(isAllowedOrigin({ ...own, host })).toBe(false),
  );

  it("from a page on this machine is allowed, from other pages only if the host is public", () => {
    expect(isAllowedOrigin({ ...own, host: "localhost:3000", origin: "http://localhost:6274" })).toBe(true);
    expect(isAllowedOrigin({ ...own, host: "localhost:3000", origin: "https://evil.example" })).toBe(false);
    expect(isAllowedOrigin({ ...own, host: "localhost:3000", origin: "null" })).toBe(false);
    expect(isAllowedOrigin({ ...own, host: "127.0.0.1:3000", origin: "http://203.0.113.7" })).toBe(false);
    expect(isAllowedOrigin({ ...own, host: "127.0.0.1:3000", origin: "http://[2001:db8::7]:8080" })).toBe(false);
    expect(isAllowedOrigin({ ...own, host: "localhost:3000", origin: "http://127.evil.example" })).toBe(false);
    expect(isAllowedOrigin({ ...own, host: "192.168.1.5:3000", origin: "http://192.168.1.5:8080" })).toBe(true);
    expect(isAllowedOrigin({ ...own, host: "[::1]:3000", origin: "http://127.0.0.1:6274" })).toBe(true);
    expect(isAllowedOrigin({ ...own, host: "tapes.example", origin: "https://agent.example" })).toBe(true);
    expect(isAllowedOrigin({ ...own, host: "any.example", origin: "https://x.example", isProxied: true })).toBe(true);
  });

  it.each(["127.0.0.1", "localhost"])("from other pages is refused where BASE_URL names %s", (host) => {
    const local = { ...own, publicHostnames: [host], host: `${host}:3000` };
    expect(isAllowedOrigin({ ...local, origin: "https://evil.example" })).toBe(false);
    expect(isAllowedOrigin({ ...local, origin: "http://localhost:6274" })).toBe(true);
  });
});
