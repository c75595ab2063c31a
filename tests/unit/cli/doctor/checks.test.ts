import { describe, expect, test } from "vitest";
import type { Check } from "#lib/cli/doctor/check";
import { checkRunner, lineOf } from "#lib/cli/doctor/check";
import {
  checkEncryption,
  checkJobs,
  checkQueues,
  checkServer,
  type LastWork,
  type ScheduledJob,
} from "#lib/cli/doctor/database-checks";
import { checkBaseUrl, checkNode, checkSecrets, checkVariables } from "#lib/cli/doctor/settings-checks";
import { checkFreeBytes } from "#lib/cli/doctor/store-checks";
import { parseConfig } from "#lib/platform/config";
import type { ServerFacts } from "#lib/platform/database/inspect-server";
import type { InstallationStatus } from "#lib/server/metrics/index";

const statuses = (checks: readonly Check[]) => checks.map(({ status, name }) => `${status} ${name}`);
const seenBy = (checks: readonly Check[]) => checks.map(({ seen }) => seen).join("\n");

describe("the settings", () => {
  test("name each invalid variable", () => {
    const problems = ["PORT", "CRON"].map((name) => ({ name, message: "must be something else" }));
    const checks = checkVariables(problems);
    expect(statuses(checks)).toEqual(["fail configuration", "fail configuration"]);
    expect(seenBy(checks)).toMatch(/PORT: must be[\s\S]*CRON: must be/);
    expect(statuses(checkVariables([]))).toEqual(["ok configuration"]);
  });

  test.each([
    ["20.19.0", "ok"],
    ["22.1.0", "ok"],
    ["21.7.3", "warn"],
    ["30.0.0", "warn"],
  ])("Node.js %s is %s", (version, status) => expect(checkNode(version).status).toBe(status));

  test.each([
    [{}, "ok"],
    [{ HOST: "0.0.0.0" }, "warn"],
    [{ HOST: "0.0.0.0", BASE_URL: "https://a.example.com" }, "warn"],
    [{ HOST: "0.0.0.0", BASE_URL: "https://a.example.com", TRUST_PROXY: "1" }, "ok"],
    [{ BASE_URL: "http://a.example.com", TRUST_PROXY: "1" }, "warn"],
    [{ BASE_URL: "http://127.0.0.1:3000" }, "ok"],
    [{ BASE_URL: "https://a.example.com", VERCEL: "1" }, "ok"],
  ])("the public URL of %j is %s", (environment, status) =>
    expect(checkBaseUrl(parseConfig(environment)).status).toBe(status),
  );

  test.each([
    [{}, "ok"],
    [{ VERCEL: "1" }, "CRON_SECRET"],
    [{ CASSETTE_STORE: "blob" }, "BLOB_READ_WRITE_TOKEN"],
    [{ ANALYSIS_MODEL: "anthropic:m" }, "ANALYSIS_API_KEY"],
    [{ ANALYSIS_MODEL: "openai-compatible:m", ANALYSIS_API_KEY: "k" }, "ANALYSIS_BASE_URL"],
  ])("the secrets of %j: %s", (environment, expected) => {
    const [check] = checkSecrets(parseConfig(environment));
    if (expected === "ok") expect(check?.status).toBe("ok");
    else expect(check).toMatchObject({ status: "fail", advice: `set ${expected}` });
  });
});

describe("the database", () => {
  const facts: ServerFacts = {
    version: "18.4",
    versionNumber: 180_004,
    isPooled: false,
    isReadOnly: false,
    timeZone: "UTC",
    isUtc: true,
    clockAheadMs: 0,
    clockErrorMs: 1,
    queueSchema: 43,
    migrations: { applied: ["a"], pending: [], unknown: [], unfinished: [] },
  };
  const problems = (changes: Partial<ServerFacts>) =>
    statuses(checkServer({ ...facts, ...changes }, "db:5432/tapedeck", 43).filter(({ status }) => status !== "ok"));

  test.each<[string, Partial<ServerFacts>, string[]]>([
    ["a good server", {}, []],
    ["an old version", { versionNumber: 140_010 }, ["fail database"]],
    ["a server that refuses writes", { isReadOnly: true }, ["fail database"]],
    ["a clock 2.5 s off", { clockAheadMs: -2_500 }, ["warn clock"]],
    ["sessions in another zone", { timeZone: "Asia/Tokyo", isUtc: false }, ["fail clock"]],
    ["a clock 61 s off", { clockAheadMs: 62_000 }, ["fail clock"]],
    ["a clock that may be off by the time of the question", { clockAheadMs: 2_500, clockErrorMs: 600 }, []],
    [
      "pending migrations",
      { migrations: { applied: [], pending: ["a"], unknown: [], unfinished: [] } },
      ["fail migrations"],
    ],
    [
      "unknown migrations",
      { migrations: { applied: ["a"], pending: [], unknown: ["b"], unfinished: [] } },
      ["fail migrations"],
    ],
    ["no tables of the queues", { queueSchema: null }, ["fail queue-tables"]],
    ["old tables of the queues", { queueSchema: 42 }, ["fail queue-tables"]],
    ["newer tables of the queues", { queueSchema: 44 }, ["fail queue-tables"]],
  ])("%s", (_name, changes, expected) => expect(problems(changes)).toEqual(expected));

  test("a migration that failed is named, with the reason", () => {
    const unfinished = [{ name: "a", reason: "permission denied for database tapedeck" }, { name: "b" }];
    const migrations = { applied: [], pending: ["a", "b"], unknown: [], unfinished };
    const seen = seenBy(checkServer({ ...facts, migrations }, "db", 43));
    expect(seen).toContain("0 applied, 2 pending; a failed: permission denied for database tapedeck\n");
  });

  test.each([
    [[], /created by a development version/, /^set DATABASE_URL to|^move .* to another place/],
    [["a"], /migrated by a newer version: this one does not have b$/, /^run that version or a newer one, or restore/],
  ])("with %j applied, unknown migrations say what `up` says", (applied, seen, advice) => {
    const migrations = { applied, pending: [], unknown: ["b"], unfinished: [] };
    const check = checkServer({ ...facts, migrations }, "db", 43).find(({ name }) => name === "migrations");
    expect(check).toMatchObject({ seen: expect.stringMatching(seen), advice: expect.stringMatching(advice) });
  });

  test("a pooler in front is noted", () => {
    expect(seenBy(checkServer({ ...facts, isPooled: true }, "db", 43))).toContain("behind a pooler");
  });

  test.each([
    [{ hasKeys: true, count: 2, unreadableCount: 0 }, "ok"],
    [{ hasKeys: true, count: 2, unreadableCount: 1 }, "fail"],
    [{ hasKeys: false, count: 2, unreadableCount: 2 }, "fail"],
    [{ hasKeys: false, count: 0, unreadableCount: 0 }, "warn"],
  ])("the keys of %j: %s", (secrets, status) => expect(checkEncryption(secrets).status).toBe(status));
});

const idle = { name: "fetch", waiting: 0, running: 0, failed: 0, oldestS: null, isPaused: false };
const status: InstallationStatus = {
  queues: [idle],
  deadFetches: 0,
  fetches: {},
  vendorsDue: 0,
  longestOverdueS: 0,
  deliveriesWaiting: 0,
  oldestDueDeliveryS: 0,
  deliveries: {},
  mailsWaiting: 0,
  mails: {},
  jobs: [{ name: "prune", completedS: 60 }],
};

describe("the queues", () => {
  const waitingLong = { ...idle, waiting: 3, oldestS: 1_000 };
  test.each<[string, Partial<InstallationStatus>, LastWork["takenS"], string[]]>([
    ["idle", {}, {}, ["ok queues"]],
    ["an old job, and no worker took any", { queues: [waitingLong] }, { fetch: 950 }, ["fail queues"]],
    ["an old job, and none was ever taken", { queues: [waitingLong] }, {}, ["fail queues"]],
    ["an old job, and a worker takes jobs", { queues: [waitingLong] }, { fetch: 5 }, ["ok queues"]],
    ["an old job while others run", { queues: [{ ...waitingLong, running: 1 }] }, {}, ["ok queues"]],
    ["a young job", { queues: [{ ...waitingLong, oldestS: 800 }] }, {}, ["ok queues"]],
    ["a paused queue", { queues: [{ ...waitingLong, isPaused: true }] }, {}, ["warn queues"]],
    ["jobs that were given up", { queues: [{ ...idle, failed: 2 }] }, {}, ["warn queues"]],
    ["dead letters", { deadFetches: 1 }, {}, ["warn queues"]],
  ])("%s", (_name, changes, takenS, expected) => {
    expect(statuses(checkQueues({ ...status, ...changes }, { runS: 1, takenS }))).toEqual(expected);
  });

  test("say of a paused fetch how many vendors are due, for which no jobs are created meanwhile", () => {
    const queues = [{ ...idle, isPaused: true }];
    const [check] = checkQueues({ ...status, queues, vendorsDue: 2 }, { runS: 1, takenS: {} });
    expect(check?.seen).toBe("fetch is paused, 0 jobs wait, and 2 vendors are due");
  });
});

describe("the jobs", () => {
  const hourly: ScheduledJob = { name: "prune", everyMs: 3_600_000, maxRunMs: 60_000 };
  const completed = (completedS: number | null) => ({ ...status, jobs: [{ name: "prune", completedS }] });
  test.each<[string, number | null, number | null, string[]]>([
    ["in time", 7_200, 30, ["ok worker", "ok jobs"]],
    ["late", 7_300, 30, ["ok worker", "fail jobs"]],
    ["never completed", null, 30, ["ok worker", "warn jobs"]],
    ["no worker", 60, 700, ["fail worker", "ok jobs"]],
    ["never a run", null, null, ["fail worker", "warn jobs"]],
  ])("%s", (_name, completedS, runS, expected) => {
    expect(statuses(checkJobs([hourly], completed(completedS), { runS, takenS: {} }))).toEqual(expected);
  });
});

test.each([
  [10 * 1024 ** 3, "ok"],
  [2 * 1024 ** 3, "warn"],
  [100 * 1024 ** 2, "fail"],
])("%i free bytes: %s", (freeBytes, expected) => expect(checkFreeBytes(freeBytes).status).toBe(expected));

test("a check that throws has failed, with the first line of the reason, without secrets", async () => {
  const work = async () => {
    throw new Error("first\nsecond", { cause: new Error("Bearer to\nken is not valid\nand its stack") });
  };
  expect(await checkRunner(["to\nken"], 1_000)("redis", "look", work)).toEqual([
    { status: "fail", name: "redis", seen: "Bearer <secret> is not valid", advice: "look" },
  ]);
});

test("a check is one line", () => {
  expect(lineOf({ status: "fail", name: "clock", seen: "late", advice: "look" })).toBe(
    "fail  clock             late → look\n",
  );
  expect(lineOf({ status: "ok", name: "clock", seen: "in time" })).toBe("ok    clock             in time\n");
});
