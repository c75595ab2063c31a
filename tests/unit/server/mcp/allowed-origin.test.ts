import { describe, expect, it } from "vitest";
import { isAllowedOrigin } from "#lib/server/mcp/allowed-origin";

const own = { publicHostnames: ["tapes.example"], isProxied: false, origin: null };

describe("an MCP request", () => {
  it.each(["localhost:3000", "legal.localhost:3000", "127.0.0.1:3000", "[::1]:3000", "192.168.1.5", "tapes.example"])(
    "under %s is answered",
    (host) => expect(isAllowedOrigin({ ...own, host })).toBe(true),
  );

  it.each(["evil.example:3000", "localhost.evil.example", "127.0.0.1.evil.example", "", null, "tapes.example.evil"])(
    "under %s is not: a name that DNS points here proves nothing",
    (host) => expect(isAllowedOrigin({ ...own, host })).toBe(false),
  );

  it("of a page on this machine is answered, of any other page only where the host is published", () => {
    expect(isAllowedOrigin({ ...own, host: "localhost:3000", origin: "http://localhost:6274" })).toBe(true);
    expect(isAllowedOrigin({ ...own, host: "localhost:3000", origin: "https://evil.example" })).toBe(false);
    expect(isAllowedOrigin({ ...own, host: "localhost:3000", origin: "null" })).toBe(false);
    expect(isAllowedOrigin({ ...own, host: "tapes.example", origin: "https://agent.example" })).toBe(true);
    expect(isAllowedOrigin({ ...own, host: "any.example", origin: "https://x.example", isProxied: true })).toBe(true);
  });
});
