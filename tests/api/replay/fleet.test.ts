import { describe, expect, inject, it } from "vitest";
import { sites } from "#lib/contract/sites";
import { systemClock } from "#lib/platform/clock";
import { createDatabase } from "#lib/platform/database/index";
import { type Fleet, verifyFleet } from "#lib/replay/sites/index";
import { countBundled } from "#tests/support/bundled-cassettes";
import { readStream } from "#tests/support/read-stream";

const port = () => new URL(inject("baseUrl")).port;

async function manifest(host?: string): Promise<Fleet> {
  const { status, headers, body } = await readStream(`${inject("baseUrl")}/api/v1/fleet`, {
    headers: host ? { host } : {},
  });
  expect(status).toBe(200);
  expect(headers["access-control-allow-origin"]).toBe("*");
  return JSON.parse(body.toString());
}

describe("GET /api/v1/fleet", () => {
  it("lists the four sites, each at its localhost name and the current one at the request's origin", async () => {
    const fleet = await manifest();
    expect(fleet.count).toBe(4);
    expect(fleet.members.map(({ url }) => url)).toEqual([
      inject("baseUrl"),
      `http://legal.localhost:${port()}`,
      `http://finance.localhost:${port()}`,
      `http://small-business.localhost:${port()}`,
    ]);
    expect(fleet.current_site).toEqual({
      slug: "developer-tools",
      vertical: "developer-tools",
      url: inject("baseUrl"),
    });
    expect(fleet.members.map(({ cassette_count }) => cassette_count)).toEqual(
      fleet.members.map(({ vertical }) => countBundled(vertical)),
    );
    expect(fleet.last_verified).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(new URL(fleet.chassis).origin).toBe(fleet.chassis);
  });

  it("the current site is the one of the host", async () => {
    const { current_site } = await manifest(`finance.localhost:${port()}`);
    expect(current_site).toEqual({ slug: "finance", vertical: "finance", url: `http://finance.localhost:${port()}` });
  });

  it("lists surfaces that all respond", async () => {
    const { members } = await manifest();
    for (const { surfaces, url } of members) {
      for (const [name, address] of Object.entries(surfaces)) {
        const { host } = new URL(address);
        const local = address.replace(url, inject("baseUrl"));
        const { status } = await readStream(local, { headers: { host } });
        expect([name, status]).toEqual([name, name === "replay_random" ? 302 : 200]);
      }
    }
  });

  it("omits a member that failed the last check until it passes one, but never the current site", async () => {
    const database = createDatabase(inject("databaseUrl"));
    const own = { origin: inject("baseUrl"), site: sites[0], database, clock: systemClock };
    const closedPort = "http://127.0.0.1:1";
    try {
      const siteUrls = { legal: closedPort, finance: `http://finance.localhost:${port()}` };
      const checks = await verifyFleet({ ...own, siteUrls });
      expect(checks.map(({ slug, status }) => `${slug} ${status}`)).toEqual([
        "developer-tools live",
        "legal down",
        "finance live",
        "small-business live",
      ]);
      const fleet = await manifest();
      expect(fleet.members.map(({ slug }) => slug)).toEqual(["developer-tools", "finance", "small-business"]);
      expect(fleet.count).toBe(3);
      expect(fleet.last_verified).toBe(new Date().toISOString().slice(0, 10));
      expect((await manifest(`legal.localhost:${port()}`)).members.map(({ slug }) => slug)).toContain("legal");
      await verifyFleet({ ...own, siteUrls: {} });
      expect((await manifest()).count).toBe(4);
      // A check that reaches nothing stores nothing.
      const unreached = await verifyFleet({ ...own, origin: closedPort, siteUrls: {} });
      expect(unreached.map(({ status }) => status)).toEqual(["down", "down", "down", "down"]);
      expect((await manifest()).count).toBe(4);
    } finally {
      await database.$disconnect();
    }
  });
});
