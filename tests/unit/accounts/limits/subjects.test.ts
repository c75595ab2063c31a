import { describe, expect, test } from "vitest";
import { clientSubject, keySubject } from "#lib/accounts/limits/index";
import { networkOf } from "#lib/platform/client-slots";

const morning = new Date("2026-11-21T00:00:00.000Z");
const evening = new Date("2026-11-21T23:59:59.999Z");
const nextDay = new Date("2026-11-22T00:00:00.000Z");

describe("a client without a key", () => {
  test.each([
    ["203.0.113.9", "203.0.113.9"],
    ["::ffff:203.0.113.9", "203.0.113.9"],
    ["::FFFF:cb00:7109", "203.0.113.9"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::2:3:4:5:6:7:8", "0:2:3:4::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
    ["not an address", "unknown"],
    ["", "unknown"],
  ])("at %s is counted as %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  test("is one subject all day for all addresses of its network, and another one the next day", () => {
    const subject = clientSubject("2001:db8:1:2::a", morning);
    expect(clientSubject("2001:db8:1:2:ffff::b", evening)).toBe(subject);
    expect(clientSubject("2001:db8:1:3::a", morning)).not.toBe(subject);
    expect(clientSubject("2001:db8:1:2::a", nextDay)).not.toBe(subject);
  });

  test("is stored as a hash, and never collides with a key", () => {
    expect(clientSubject("203.0.113.9", morning)).toMatch(/^address:[\w-]{22}$/);
    expect(clientSubject(null, morning)).toMatch(/^address:/);
    expect(keySubject("a")).toBe("key:a");
  });
});
