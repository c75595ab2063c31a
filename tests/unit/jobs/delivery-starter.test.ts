import { beforeEach, expect, it } from "vitest";
import { createDeliveryStarter } from "#lib/jobs/pipeline-context";
import { childEnvironment, withEnvironment } from "#lib/platform/config";
import { provided } from "#tests/support/provided";
import { testKeys } from "#tests/support/webhook-receivers";
import { createWebhookFixture } from "../tracking/webhooks/webhook-fixture";

const fixture = provided(createWebhookFixture);
beforeEach(() => fixture.client.webhookEvent.deleteMany());

it("deliveries that events started get 20 s more when the work has ended", async () => {
  // Each attempt fails at once, and is retried after 5 s.
  const { id } = await fixture.webhook(await fixture.caller(), "https://example.com/");
  await fixture.client.webhook.update({ where: { id }, data: { url: "http://10.0.0.1/" } });
  await fixture.enqueue();
  const { clock, context } = fixture;
  const run = { runId: "run", deadlineMs: clock.monotonicMs() + 3_600_000, signal: new AbortController().signal };
  const starter = createDeliveryStarter({ ...context, ...run, origin: "http://127.0.0.1", siteUrls: {} });
  const environment = childEnvironment({ ENCRYPTION_KEYS: testKeys.map((key) => key.toString("base64")).join() });
  const attemptsAfter = (waitMs: number) => {
    fixture.pass(waitMs);
    return withEnvironment(environment, async () => {
      starter.start();
      await starter.settled();
      return fixture.client.webhookAttempt.count();
    });
  };
  expect([await attemptsAfter(0), await attemptsAfter(7_000), await attemptsAfter(600_000)]).toEqual([1, 2, 2]);
});
