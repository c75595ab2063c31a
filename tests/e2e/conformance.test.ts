import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { bundleFixtures } from "#tests/support/conformance/bundle-fixtures";
import { type Revision, runSomeScenarios, runSuite, someScenarios } from "#tests/support/conformance/run-suite";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { isExtended } from "#tests/support/extended";
import { RoundRobin } from "#tests/support/round-robin";
import { type Adapter, type Served, serve } from "#tests/support/serve";
import { longTimeouts } from "#tests/support/start-app";

const suiteTimeoutMs = 600_000;
/**
 * Scenarios in which the server sends requests to its client, which the stateless endpoint cannot do. No tool of this server
 * does it, and those of the fixtures wait for the response in their own process.
 */
const needsClient = [
  "tools-call-sampling",
  "tools-call-elicitation",
  "elicitation-sep1034-defaults",
  "elicitation-sep1330-enums",
];

/** Scenarios in which a tool sends something before its result, which no tool of this server does. */
const needsEvents = [...needsClient, "tools-call-with-logging", "tools-call-with-progress"];

// Clients of the official SDK speak both revisions in tests/api/server/mcp. Other scenarios need tools of their own.
it.runIf(!isExtended)("some scenarios of the conformance suite of MCP pass", async () => {
  const { failed, output } = await runSomeScenarios(`${inject("baseUrl")}/api/mcp/v2`, "2026-07-28", someScenarios);
  expect(failed, output).toEqual([]);
});

describe.runIf(isExtended)("the conformance suite of MCP", () => {
  let instances: Served[];
  /** Answers calls as a server does whose tools send nothing before their result. */
  let plain: Served;
  let proxy: RoundRobin;
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    const environment = {
      DATABASE_URL: database.url,
      LOG_LEVEL: "warn",
      NODE_OPTIONS: await bundleFixtures(),
      // The suite sends no key, and makes more calls than the free tier allows in a day.
      REQUESTS_PER_DAY_WITHOUT_KEY: "1000000",
      ...longTimeouts,
    };
    const adapters = ["node", "route"] satisfies Adapter[];
    instances = await Promise.all(adapters.map((adapter) => serve(adapter, environment)));
    plain = await serve("node", { ...environment, CONFORMANCE_EVENTS: "off" });
    proxy = await new RoundRobin(instances.map(({ origin }) => origin)).start();
  });
  afterAll(async () => {
    await proxy.close();
    await Promise.all([...instances, plain].map((instance) => instance.stop()));
    await database.drop();
  });

  it.concurrent.each([
    ["2025-11-25", needsClient],
    ["2026-07-28", []],
  ] satisfies [Revision, string[]][])(
    "passes with sessions on two instances behind a round-robin proxy: %s",
    async (revision, without) => {
      const { failed, output } = await runSuite(`${proxy.origin}/api/mcp/v2`, revision, without);
      expect(
        failed.filter((name) => !(without as string[]).includes(name)),
        output,
      ).toEqual([]);
    },
    suiteTimeoutMs,
  );

  it.concurrent(
    "passes the scenarios that need requests to the client on one instance",
    async () => {
      const url = `${instances[0]?.origin}/api/mcp/v2`;
      const { failed, output } = await runSomeScenarios(url, "2025-11-25", needsClient);
      expect(failed, output).toEqual([]);
    },
    suiteTimeoutMs,
  );

  it.concurrent.each([
    ["2025-11-25", needsClient],
    ["2026-07-28", []],
  ] satisfies [Revision, string[]][])(
    "passes without sessions, except for the scenarios that need requests to the client: %s",
    async (revision, without) => {
      const { failed, output } = await runSuite(`${instances[0]?.origin}/api/mcp`, revision, without);
      expect(failed, output).toEqual([...without].sort());
    },
    suiteTimeoutMs,
  );

  it.concurrent.each(["/api/mcp", "/api/mcp/v2"])(
    "passes at %s as tools of this server answer, except for the scenarios that need events: 2025-11-25",
    async (path) => {
      const { failed, output } = await runSuite(`${plain.origin}${path}`, "2025-11-25", needsEvents);
      expect(failed, output).toEqual([...needsEvents].sort());
    },
    suiteTimeoutMs,
  );
});
