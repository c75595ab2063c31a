import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { createDatabase, type Database } from "#lib/platform/database/index";
import { type Revision, requiredScenarios, runSuite } from "#tests/support/conformance/run-suite";
import { startRoundRobin } from "#tests/support/round-robin";
import { type Served, serve } from "#tests/support/serve";

const suiteTimeoutMs = 240_000;
/** Scenarios in which the server sends requests to its client, which the stateless endpoint cannot do. */
const clientRequestScenarios = [
  "tools-call-sampling",
  "tools-call-elicitation",
  "elicitation-sep1034-defaults",
  "elicitation-sep1330-enums",
];

describe("the MCP conformance suite", () => {
  let instances: Served[];
  let proxy: Awaited<ReturnType<typeof startRoundRobin>>;
  let database: Database;

  beforeAll(async () => {
    const environment = { DATABASE_URL: inject("databaseUrl"), LOG_LEVEL: "warn", MCP_CONFORMANCE_FIXTURES: "1" };
    instances = await Promise.all([serve("node", environment), serve("route", environment)]);
    proxy = await startRoundRobin(instances.map(({ origin }) => origin));
    database = createDatabase(inject("databaseUrl"));
  });
  // The suite sends no key, and calls more tools than the free tier allows per day.
  beforeEach(() => database.limitWindow.deleteMany());
  afterAll(async () => {
    await database.limitWindow.deleteMany();
    await database.$disconnect();
    await proxy.stop();
    await Promise.all(instances.map((instance) => instance.stop()));
  });

  it.each(["2025-11-25", "2026-07-28"] satisfies Revision[])(
    "passes with sessions on two instances behind a round-robin proxy: %s",
    async (revision) => {
      const { passed, output } = await runSuite(`${proxy.origin}/api/mcp/v2`, revision);
      const failed = (await requiredScenarios(revision)).filter((name) => !passed.includes(name));
      expect(failed, output).toEqual([]);
    },
    suiteTimeoutMs,
  );

  it.each([
    ["2025-11-25", clientRequestScenarios],
    ["2026-07-28", []],
  ] satisfies [Revision, string[]][])(
    "passes on the stateless endpoint, except for requests to the client: %s",
    async (revision, without) => {
      const { passed, output } = await runSuite(`${instances[0]?.origin}/api/mcp`, revision);
      const failed = (await requiredScenarios(revision)).filter((name) => !passed.includes(name));
      expect(failed.sort(), output).toEqual([...without].sort());
    },
    suiteTimeoutMs,
  );
});
