import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { FleetHealth, JobStatus } from "#lib/jobs/index";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { idsAt } from "#tests/support/vendor-rows";

const at = new Date("2026-11-21T09:00:00Z");

let database: TestDatabase;
let readJobs: () => Promise<JobStatus[]>;
let readFleet: (given?: { origin?: string; siteUrls?: Record<string, string> }) => Promise<FleetHealth>;
beforeAll(async () => {
  database = await createTestDatabase();
  vi.stubEnv("DATABASE_URL", database.url);
  vi.stubEnv("LOG_LEVEL", "silent");
  // The environment is read once: the house is loaded again, now that the database is there.
  vi.resetModules();
  const { getFleetHealth, getJobStatuses } = await import("#lib/jobs/index");
  const [{ sites }, { catalogue }] = await Promise.all([
    import("#lib/replay/sites/index"),
    import("#lib/replay/cassettes/index"),
  ]);
  const { client } = database;
  const shared = { database: client, site: sites[0], catalogue: catalogue(), buildDate: "2026-11-01" };
  readJobs = () => getJobStatuses({ database: client });
  readFleet = (given) => getFleetHealth({ ...shared, origin: "http://127.0.0.1:3000", siteUrls: {}, ...given });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await database.drop();
});
beforeEach(async () => {
  await database.client.cronRun.deleteMany();
  await database.client.fleetMember.deleteMany();
});

const addRun = (job: string, status: "completed" | "failed" | "running") =>
  database.client.cronRun.create({
    data: { id: idsAt(at).next(), job, status, startedAt: at, summary: { counted: 7 }, error: "a private message" },
  });

describe("the jobs' standings", () => {
  test("name every job, also where none has run", async () => {
    const jobs = await readJobs();
    expect(jobs.map(({ name, lastRun }) => [name, lastRun])).toEqual(
      ["fetch-vendors", "analyze-changes", "deliver-webhooks", "verify-fleet", "prune"].map((name) => [name, null]),
    );
  });

  test("tell when a job ran and how that ended, and neither what it counted nor why it failed", async () => {
    await addRun("prune", "failed");
    const jobs = await readJobs();
    expect(jobs.at(-1)).toEqual({ name: "prune", description: expect.any(String), lastRun: { at, status: "failed" } });
    expect(JSON.stringify(jobs)).not.toMatch(/private|counted/);
  });
});

describe("the fleet's health", () => {
  const states = async (given?: Parameters<typeof readFleet>[0]) =>
    Object.fromEntries((await readFleet(given)).members.map(({ slug, state }) => [slug, state]));

  test("is unchecked before the first check, but for the site that answers", async () => {
    expect((await readFleet()).checkedAt).toBeNull();
    expect(await states()).toEqual({
      ...{ "developer-tools": "live", legal: "unchecked", finance: "unchecked", "small-business": "unchecked" },
    });
  });

  test("is what the last check found", async () => {
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

  test("leaves out sites that have no address here", async () => {
    const given = { origin: "https://tapes.example", siteUrls: { legal: "https://legal.example" } };
    expect(Object.keys(await states(given))).toEqual(["developer-tools", "legal"]);
  });
});
