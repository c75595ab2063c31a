import { beforeEach, describe, expect, test } from "vitest";
import { sites } from "#lib/contract/sites";
import { configuredJobs, getFleetHealth, getJobStatuses } from "#lib/jobs/index";
import { sharedDatabase } from "#tests/support/shared-database";
import { idsAt } from "#tests/support/vendor-rows";

const at = new Date("2026-11-21T09:00:00Z");

const database = sharedDatabase();
const readJobs = () => getJobStatuses({ database: database.client });
const readFleet = (given: { origin?: string; siteUrls?: Record<string, string> } = {}) =>
  getFleetHealth({
    database: database.client,
    site: sites[0],
    origin: "http://127.0.0.1:3000",
    siteUrls: {},
    ...given,
  });
beforeEach(async () => {
  await database.client.cronRun.deleteMany();
  await database.client.fleetMember.deleteMany();
});

const addRun = (job: string, status: "completed" | "failed" | "running") =>
  database.client.cronRun.create({
    data: { id: idsAt(at).next(), job, status, startedAt: at, summary: { counted: 7 }, error: "a private message" },
  });

describe("job statuses", () => {
  test("list every configured job, including those that never ran", async () => {
    const jobs = await readJobs();
    expect(jobs.map(({ name, lastRun }) => [name, lastRun])).toEqual(
      configuredJobs({}).map(({ name }) => [name, null]),
    );
    expect(jobs.filter(({ callsInternet }) => callsInternet).map(({ name }) => name)).toEqual(["fetch-vendors"]);
  });

  test("show when a job ran and its status, but neither its counts nor its error", async () => {
    await addRun("prune", "failed");
    const jobs = await readJobs();
    expect(jobs.at(-1)).toEqual({
      name: "prune",
      description: expect.any(String),
      callsInternet: false,
      lastRun: { at, status: "failed" },
    });
    expect(JSON.stringify(jobs)).not.toMatch(/private|counted/);
  });
});

describe("fleet health", () => {
  const states = async (given?: Parameters<typeof readFleet>[0]) =>
    Object.fromEntries((await readFleet(given)).members.map(({ slug, state }) => [slug, state]));

  test("is unchecked before the first check, except for the site that serves the page", async () => {
    expect((await readFleet()).checkedAt).toBeNull();
    expect(await states()).toEqual({
      "developer-tools": "live",
      legal: "unchecked",
      finance: "unchecked",
      "small-business": "unchecked",
    });
  });

  test("shows the results of the last check", async () => {
    await addRun("verify-fleet", "completed");
    await database.client.fleetMember.createMany({
      data: [
        { slug: "legal", status: "live", checkedAt: at },
        { slug: "finance", status: "down", checkedAt: at, error: "a private message" },
        { slug: "developer-tools", status: "down", checkedAt: at },
      ],
    });
    const fleet = await readFleet();
    expect(fleet.checkedAt).toEqual(at);
    expect(await states()).toMatchObject({ "developer-tools": "live", legal: "live", finance: "down" });
    expect(JSON.stringify(fleet)).not.toContain("private");
  });

  test("omits sites without a configured URL", async () => {
    const given = { origin: "https://tapes.example", siteUrls: { legal: "https://legal.example" } };
    expect(Object.keys(await states(given))).toEqual(["developer-tools", "legal"]);
  });
});
