import { type LookupFunction, Socket, type TcpNetConnectOpts } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { guardedFetch } from "#lib/platform/outbound/index";
import { startTestVendors, type TestVendors } from "#tests/support/test-vendors";
import { redirect } from "#tests/support/vendor-answers";

let testVendors: TestVendors;
beforeAll(async () => {
  testVendors = await startTestVendors({ vendorCount: 1 });
});
afterAll(() => testVendors.close());
afterEach(() => vi.restoreAllMocks());

type ConnectOptions = TcpNetConnectOpts & { lookup?: LookupFunction };

/** Redirects every connection to the vendor on the loopback, and records where it would have gone. */
function divertConnections(): { hosts: string[]; addresses: string[][] } {
  const seen = { hosts: [] as string[], addresses: [] as string[][] };
  const { connect } = Socket.prototype;
  vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket, ...parameters: unknown[]) {
    const [given] = parameters as [ConnectOptions | [ConnectOptions]];
    const options = Array.isArray(given) ? given[0] : given;
    seen.hosts.push(String(options.host));
    options.lookup?.(String(options.host), { all: true }, (_error, found) => {
      seen.addresses.push((found as { address: string }[]).map(({ address }) => address));
    });
    const [host = "", port] = testVendors.vendors[0]?.host.split(":") ?? [];
    return Reflect.apply(connect, this, [{ host, port: Number(port) }]);
  } as typeof connect);
  return seen;
}

describe("a host name whose address changes after the check", () => {
  it("is resolved once, and the connection goes to the address that was checked", async () => {
    const seen = divertConnections();
    const resolve = vi.fn(async () => ["127.0.0.1"]).mockResolvedValueOnce(["93.184.216.34", "2606:2800::1"]);
    const { status } = await guardedFetch("http://rebinding.example/llms.txt", { resolve, allowedHosts: [] });
    expect(status).toBe(200);
    expect(resolve.mock.calls).toEqual([["rebinding.example"]]);
    expect(seen).toEqual({ hosts: ["rebinding.example"], addresses: [["93.184.216.34", "2606:2800::1"]] });
    expect(testVendors.requestsOf("vendor-01").at(-1)?.headers.host).toBe("rebinding.example");
  });

  it("is checked again at each redirect, and refused there", async () => {
    const seen = divertConnections();
    testVendors.setAnswer("vendor-01", redirect("http://rebinding.example/again"));
    const resolve = vi.fn(async () => ["127.0.0.1"]).mockResolvedValueOnce(["93.184.216.34"]);
    await expect(
      guardedFetch("http://rebinding.example/llms.txt", { resolve, allowedHosts: [] }),
    ).rejects.toMatchObject({ reason: "refused_address", requestCount: 1 });
    expect(resolve).toHaveBeenCalledTimes(2);
    expect(seen.addresses).toEqual([["93.184.216.34"]]);
  });
});
