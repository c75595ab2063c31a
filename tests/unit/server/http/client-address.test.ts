import { describe, expect, test } from "vitest";
import { clientAddress, lastForwardedFor, trustsProxy } from "#lib/server/http/forwarded-headers";

describe("the address in X-Forwarded-For", () => {
  test.each([
    ["203.0.113.9", "203.0.113.9"],
    ["198.51.100.1, 203.0.113.9", "203.0.113.9"],
    ["made up,203.0.113.9 ", "203.0.113.9"],
    ["203.0.113.9:5123", "203.0.113.9"],
    ["[2001:db8::1]:5123", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["2001:db8::1", "2001:db8::1"],
    ["", null],
    ["203.0.113.9,", null],
    [null, null],
  ])("%j is %j, as added by the nearest proxy", (header, address) => {
    expect(lastForwardedFor(header)).toBe(address);
  });

  test("is trusted on Vercel and with TRUST_PROXY=on", () => {
    expect(trustsProxy({})).toBe(false);
    expect(trustsProxy({ VERCEL: "1" })).toBe(true);
    expect(trustsProxy({ VERCEL: "1", TRUST_PROXY: "off" })).toBe(false);
    expect(trustsProxy({ TRUST_PROXY: "on" })).toBe(true);
  });
});

describe("the client's address", () => {
  const header = (forwarded: string | null) => (name: string) => (name === "x-forwarded-for" ? forwarded : null);
  const on = { TRUST_PROXY: "on" } as const;

  test("is the socket's address, or the forwarded one from a trusted proxy", () => {
    const view = { socketAddress: "192.0.2.1", header: header("203.0.113.9") };
    expect(clientAddress(view, {})).toBe("192.0.2.1");
    expect(clientAddress(view, on)).toBe("203.0.113.9");
    expect(clientAddress({ ...view, header: header(null) }, on)).toBe("192.0.2.1");
  });

  test("comes from the header if the server does not know the socket's address", () => {
    expect(clientAddress({ header: header("203.0.113.9") }, {})).toBe("203.0.113.9");
    expect(clientAddress({ header: header(null) }, on)).toBeNull();
  });
});
