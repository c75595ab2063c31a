import { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { checkPublicUrl, guardedFetch, isPublicAddress } from "#lib/platform/outbound/index";

const addresses = [
  ...["127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0x7F.0x0.0x0.0x1", "0177.0.0.1"],
  ...["017700000001", "127.0.0.1.", "%31%32%37.0.0.1", "127%2e0%2e0%2e1", "①②⑦.⓪.⓪.①", "１２７.0.0.1", "127。0。0。1"],
  ...["0", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "0xc0a80001"],
  ...["169.254.169.254", "0xa9fea9fe", "2852039166", "169.254.170.2", "100.64.0.1", "100.100.100.200"],
  ...["168.63.129.16", "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"],
  ...["224.0.0.1", "240.0.0.1", "255.255.255.255", "4294967295"],
  ...["[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:0:127.0.0.1]"],
  ...["[::127.0.0.1]", "[::a00:1]", "[64:ff9b::7f00:1]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::7f00:1]"],
  ...["[2002:7f00:1::]", "[2002:a00:1::1]", "[2001:0:7f00:1::1]", "[fe80::1]", "[fec0::1]", "[fc00::1]", "[fd12::1]"],
  ...["[fd00:ec2::254]", "[fd20:ce::254]", "[ff02::1]", "[100::1]", "[2001:db8::1]", "[3fff::1]", "[5f00::1]"],
];
const names = [
  ...["localhost", "LocalHost", "localhost.", "localhost..", "a.localhost", "ip6-localhost", "db", "intranet", "com."],
  ...["metadata.google.internal", "instance-data.ec2.internal", "printer.local", "svc.cluster.local", "router.lan"],
  ...["localhost.localdomain", "nas.home.arpa", "wiki.corp", "LOCAL", "hidden.onion"],
];
const wrongPorts = ["example.com:22", "example.com:25", "example.com:1", "93.184.216.34:1023", "[2606:2800::1]:21"];

const refused: [string, string][] = [
  ...[...addresses, ...names, ...wrongPorts].flatMap((host): [string, string][] => [
    ["refused_address", `http://${host}/llms.txt`],
    ["refused_address", `https://${host}/llms.txt`],
  ]),
  ["refused_address", "http:127.0.0.1"],
  ["refused_address", "http:///127.0.0.1/"],
  ["refused_address", "http:\\\\127.0.0.1\\"],
  ["refused_address", "http://127.0.0.1\\@example.com/"],
  ["refused_address", "http://127.0.0.1#@example.com/"],
  ["refused_address", " http://127.0.0.1/"],
  ["refused_address", "ht\ntp://127.\t0.0.1/"],
  ["invalid_url", "http://user:secret@example.com/"],
  ["invalid_url", "http://user@example.com/"],
  ["invalid_url", "http://:secret@example.com/"],
  ["invalid_url", "http://example.com@127.0.0.1/"],
  ["invalid_url", "file:///etc/passwd"],
  ["invalid_url", "ftp://example.com/"],
  ["invalid_url", "gopher://example.com:70/_x"],
  ["invalid_url", "ws://example.com/"],
  ["invalid_url", "data:text/plain,x"],
  ["invalid_url", "javascript:alert(1)"],
  ["invalid_url", "blob:https://example.com/x"],
  ["invalid_url", "//example.com/"],
  ["invalid_url", "/llms.txt"],
  ["invalid_url", "example.com"],
  ["invalid_url", ""],
  ["invalid_url", "http://"],
  ["invalid_url", "http://exa mple.com/"],
  ["invalid_url", "http://1.2.3.4.5/"],
  ["invalid_url", "http://256.256.256.256/"],
  ["invalid_url", "http://[::1%25eth0]/"],
  ["invalid_url", "http://[fe80::1"],
  ["invalid_url", "http://example.com:65536/"],
  ["invalid_url", `http://example.com/${"a".repeat(2_048)}`],
];

let connect: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  connect = vi.spyOn(Socket.prototype, "connect").mockImplementation(() => {
    throw new Error("a connection was started");
  });
});
afterEach(() => vi.restoreAllMocks());

describe("the guard", () => {
  it.each(refused)("refuses (%s) %s without a DNS lookup or a connection", async (reason, url) => {
    const resolve = vi.fn(async () => ["93.184.216.34"]);
    await expect(guardedFetch(url, { resolve, allowedHosts: [] })).rejects.toMatchObject({
      name: "OutboundError",
      reason,
      requestCount: 0,
    });
    await expect(checkPublicUrl(url, { resolve, allowedHosts: [] })).rejects.toMatchObject({ reason });
    expect(resolve).not.toHaveBeenCalled();
    expect(connect).not.toHaveBeenCalled();
  });

  it.each([
    ["a private address", ["10.0.0.7"]],
    ["a public address and a private one", ["93.184.216.34", "127.0.0.1"]],
    ["a metadata service", ["169.254.169.254"]],
    ["a public metadata service", ["168.63.129.16"]],
    ["a mapped loopback address", ["::ffff:127.0.0.1"]],
    ["a link-local address with its zone", ["fe80::1%eth0"]],
    ["a value that is not an address", ["example.com"]],
    ["too many addresses", Array.from({ length: 65 }, () => "93.184.216.34")],
  ])("refuses a public name that resolves to %s, without a connection", async (_what, found) => {
    const resolve = vi.fn(async () => found);
    await expect(guardedFetch("https://vendor.example/", { resolve, allowedHosts: [] })).rejects.toMatchObject({
      reason: "refused_address",
      requestCount: 0,
    });
    expect(resolve).toHaveBeenCalledTimes(1);
    expect(connect).not.toHaveBeenCalled();
  });

  it("distinguishes a name that does not exist from one that is refused", async () => {
    const missing = async () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
    const answers = [missing, async () => []];
    for (const resolve of answers) {
      await expect(guardedFetch("https://vendor.example/", { resolve })).rejects.toMatchObject({
        reason: "dns_failed",
        requestCount: 0,
      });
    }
  });

  it("never puts a path, a query or a password in an error message", async () => {
    const urls = ["https://u:hunter2@vendor.example/", "https://localhost/hunter2?k=hunter2", "hunter2:hunter2"];
    for (const url of urls) {
      const error: Error = await guardedFetch(url, { allowedHosts: [] }).catch((thrown) => thrown);
      expect(error.message).not.toContain("hunter2");
    }
  });

  it("exempts exactly the given pairs of host and port", async () => {
    const resolve = vi.fn(async () => ["127.0.0.1"]);
    const allowedHosts = ["127.0.0.1:8080", "[::1]:8080", "vendors.localhost:80"];
    const isAccepted = (url: string) => checkPublicUrl(url, { resolve, allowedHosts }).then(Boolean, () => false);
    for (const url of ["http://127.0.0.1:8080/", "http://127.1:8080", "http://[::1]:8080", "http://vendors.localhost/"])
      expect([url, await isAccepted(url)]).toEqual([url, true]);
    const near = [
      "http://127.0.0.1/",
      "http://127.0.0.1:8081/",
      "http://127.0.0.2:8080/",
      "https://vendors.localhost/",
    ];
    for (const url of [...near, "http://x.vendors.localhost/", "http://localhost:8080/"])
      expect([url, await isAccepted(url)]).toEqual([url, false]);
  });
});

describe("isPublicAddress", () => {
  it.each(["93.184.216.34", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111", "::ffff:8.8.8.8"])(
    "is true for %s",
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each(["", "example.com", "127.1", "0x7f000001", "1.2.3", "::g"])(
    "is false for %j, which is not an address",
    (text) => {
      expect(isPublicAddress(text)).toBe(false);
    },
  );
});
