import { describe, expect, it } from "vitest";
import { ConfigError, parseConfig } from "#lib/platform/config";

const hostsOf = (value: string) => parseConfig({ OUTBOUND_ALLOWED_HOSTS: value }).OUTBOUND_ALLOWED_HOSTS;

describe("OUTBOUND_ALLOWED_HOSTS", () => {
  it("is empty by default", () => expect(hostsOf("")).toEqual([]));

  it("is a list of hosts with ports, normalized as in URLs", () => {
    expect(hostsOf("127.0.0.1:8080, Vendors.localhost:80\n[0:0::1]:443 127.1:09")).toEqual([
      ...["127.0.0.1:8080", "vendors.localhost:80", "[::1]:443", "127.0.0.1:9"],
    ]);
  });

  it.each(["127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "http://127.0.0.1:80", "*:80", "::1:80", "a:80/x", ":80"])(
    "refuses %s",
    (value) => expect(() => hostsOf(`127.0.0.1:1,${value}`)).toThrow(ConfigError),
  );
});
