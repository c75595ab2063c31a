import { beforeEach, expect, it } from "vitest";
import { createDatabase } from "#lib/platform/database/index";
import { reserve } from "#lib/tracking/intelligence/model/create-model-analyser";
import { correctTokens } from "#lib/tracking/intelligence/model/store";
import { answerWith, ModelDouble } from "#tests/support/model-double";
import { sharedDatabase } from "#tests/support/shared-database";
import { createModelFixture, settingsFor } from "./model-fixture";

const database = sharedDatabase();
let double: ModelDouble;
let day = 0;
let fixture: ReturnType<typeof createModelFixture>;
beforeEach(async () => {
  await database.client.modelUsage.deleteMany();
  double = await ModelDouble.start();
  // Each test has its own day, because the process remembers on which days it has logged the warning.
  day += 1;
  fixture = createModelFixture(database.client, new Date(Date.UTC(2026, 4, day, 23, 0)));
});

const context = () => ({ database: database.client, clock: fixture.clock, log: fixture.logged.log });
const settings = (tokens: number) => settingsFor(double, "anthropic", { ANALYSIS_TOKENS_PER_DAY: String(tokens) });

it("concurrent processes never reserve more than the day's budget", async () => {
  const other = createDatabase(database.url);
  const clients = [database.client, other];
  const reservations = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      reserve({ ...context(), database: clients[index % 2]! }, 70 + (index % 7), 1_000),
    ),
  );
  const granted = reservations.filter((reservation) => reservation !== null);
  const sum = granted.reduce((total, { tokens }) => total + tokens, 0);
  expect(sum).toBeLessThanOrEqual(1_000);
  expect(sum).toBeGreaterThan(1_000 - 77);
  expect(await fixture.usedTokens()).toBe(sum);
  for (const { day: reserved, tokens } of granted) await correctTokens(database.client, reserved, 5 - tokens);
  expect(await fixture.usedTokens()).toBe(granted.length * 5);
  await other.$disconnect();
});

it("concurrent analysers stay within one budget, and are charged for what was spent", async () => {
  const other = createDatabase(database.url);
  const requests = await Promise.all(Array.from({ length: 8 }, () => fixture.addChange()));
  // Enough for one estimate at a time, and for three actual costs.
  const limit = 6_000 + 2 * 790;
  let most = 0;
  double.model = async () => {
    most = Math.max(most, await fixture.usedTokens());
    return answerWith();
  };
  const analysers = [fixture.analyser(settings(limit)), fixture.analyser(settings(limit), { database: other })];
  const answers = await Promise.all(requests.map((request, index) => analysers[index % 2]!(request)));
  const written = answers.filter((answer) => answer !== null).length;
  expect(written).toBe(double.requests.length);
  expect(written).toBeGreaterThanOrEqual(1);
  expect(written).toBeLessThan(8);
  expect(most).toBeLessThanOrEqual(limit);
  expect(await fixture.usedTokens()).toBe(790 * written);
  await other.$disconnect();
});

it("beyond the budget nothing is asked, one line per day is logged, and the next UTC day has new tokens", async () => {
  const analyser = fixture.analyser(settings(6_500));
  expect(await analyser(await fixture.addChange())).not.toBeNull();
  await database.client.modelUsage.updateMany({ data: { tokens: 6_000 } });
  for (let count = 0; count < 3; count += 1) expect(await analyser(await fixture.addChange())).toBeNull();
  expect(await fixture.analyser(settings(6_500))(await fixture.addChange())).toBeNull();
  expect(double.requests).toHaveLength(1);
  expect(fixture.logged.lines).toHaveLength(1);
  fixture.pass(2 * 60 * 60 * 1_000);
  day += 1;
  expect(await analyser(await fixture.addChange())).not.toBeNull();
});
