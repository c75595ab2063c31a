import { describe, expect, test } from "vitest";
import {
  clientAddress,
  forwardedValue,
  isSecure,
  type RequestView,
  requestOrigin,
  trustedProxyCount,
} from "#lib/server/http/request";

const header = (name: string, value: string | null) => (asked: string) => (asked === name ? value : null);

const siteNamed = (name: string) => (hostname: string) => hostname === name;

describe("an X-Forwarded header", () => {
  test.each([
    [1, "client", "client"],
    [1, "forged, client", "client"],
    [2, "forged, client, proxy", "client"],
    [2, "client", "client"],
    [3, "client,proxy", "client"],
    [1, "client,", undefined],
    [1, "", undefined],
    [1, null, undefined],
    [0, "client", undefined],
  ])("with %i trusted proxies and the value %j counts as %j", (proxyCount, value, expected) => {
    expect(forwardedValue(value, proxyCount)).toBe(expected);
  });

  test("is trusted on Vercel, and as TRUST_PROXY says", () => {
    expect(trustedProxyCount({})).toBe(0);
    expect(trustedProxyCount({ VERCEL: "1" })).toBe(1);
    expect(trustedProxyCount({ VERCEL: "1", TRUST_PROXY: 0 })).toBe(0);
    expect(trustedProxyCount({ TRUST_PROXY: 2 })).toBe(2);
  });
});

describe("the client's connection", () => {
  test.each([
    [0, false, "https", false],
    [0, true, null, true],
    [1, false, "https", true],
    [1, false, "https, http", false],
    [2, false, "https, http", true],
    [1, true, "http", false],
    [1, false, null, false],
  ])(
    "with %i trusted proxies, over TLS %s, X-Forwarded-Proto %j: secure %s",
    (proxyCount, encrypted, value, expected) => {
      expect(isSecure({ encrypted, header: header("x-forwarded-proto", value) }, proxyCount)).toBe(expected);
    },
  );
});

describe("the client's address", () => {
  const forwardedFor = (value: string | null) => header("x-forwarded-for", value);
  const view = (value: string | null) => ({ socketAddress: "192.0.2.1", header: forwardedFor(value) });

  test("is the socket's address, or the forwarded one from a trusted proxy", () => {
    expect(clientAddress(view("203.0.113.9"), {})).toBe("192.0.2.1");
    expect(clientAddress(view("198.51.100.1, 203.0.113.9"), { TRUST_PROXY: 1 })).toBe("203.0.113.9");
    expect(clientAddress(view("198.51.100.1, 203.0.113.9"), { TRUST_PROXY: 2 })).toBe("198.51.100.1");
    expect(clientAddress(view(null), { TRUST_PROXY: 1 })).toBe("192.0.2.1");
  });

  test.each([
    ["203.0.113.9:5123", "203.0.113.9"],
    ["[2001:db8::1]:5123", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["2001:db8::1", "2001:db8::1"],
  ])("of %j has no port", (value, address) => {
    expect(clientAddress(view(value), { TRUST_PROXY: 1 })).toBe(address);
  });

  test("comes from the header if the server does not know the socket's address", () => {
    expect(clientAddress({ header: forwardedFor("203.0.113.9") }, {})).toBe("203.0.113.9");
    expect(clientAddress({ header: forwardedFor(null) }, { TRUST_PROXY: 1 })).toBeNull();
  });
});

const viewOf = (headers: Record<string, string>, encrypted = false) =>
  ({ header: (name: string) => headers[name] ?? null, encrypted }) as unknown as RequestView;
const forwarded = { host: "inner:3000", "x-forwarded-host": "outer.example, proxy", "x-forwarded-proto": "https,http" };

describe("the origin of a request", () => {
  test.each([
    [{ host: "a.example" }, "http://a.example"],
    [{ host: "a.example:8080" }, "http://a.example:8080"],
    [{ host: "[::1]:3000" }, "http://[::1]:3000"],
    [{ host: "LEGAL.localhost:3000" }, "http://legal.localhost:3000"],
  ])("is derived from %j", (headers, origin) => {
    expect(requestOrigin(viewOf(headers), { proxyCount: 0 }).origin).toBe(origin);
  });

  test.each(["", "a b", "a/b", "a@b", "a;id", "a.example:999999", "a.example#x", "-a", "a\\b", "<script>"])(
    "ignores the invalid host %j",
    (host) => {
      expect(requestOrigin(viewOf({ host }), { proxyCount: 0 }).origin).toBe("http://localhost");
    },
  );

  test("uses a proxy's headers only if the proxy is trusted, and prefers BASE_URL", () => {
    expect(requestOrigin(viewOf(forwarded), { proxyCount: 0 }).origin).toBe("http://inner:3000");
    expect(requestOrigin(viewOf(forwarded), { proxyCount: 2 }).origin).toBe("https://outer.example");
    expect(requestOrigin(viewOf(forwarded), { proxyCount: 1 }).origin).toBe("http://proxy");
    expect(requestOrigin(viewOf(forwarded), { proxyCount: 2, baseUrl: "https://base.example" }).origin).toBe(
      "https://base.example",
    );
    const local = { proxyCount: 0, baseUrl: "https://base.example", port: 3_000, isSite: siteNamed("legal.localhost") };
    expect(requestOrigin(viewOf({ host: "legal.localhost" }), local).origin).toBe("http://legal.localhost:3000");
    expect(requestOrigin(viewOf({ host: "legal.localhost:81" }), local).origin).toBe("http://legal.localhost:81");
    expect(requestOrigin(viewOf({ host: "other.localhost" }), local).origin).toBe("https://base.example");
    expect(requestOrigin(viewOf({ host: "a.example" }, true), { proxyCount: 0 }).origin).toBe("https://a.example");
  });
});
