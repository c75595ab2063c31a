import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ChangeFilters } from "#lib/tracking/change-filters/index";
import { changeWebhook, createWebhook, deleteWebhook, listWebhooks } from "#lib/tracking/webhooks/index";
import {
  changeWebhookBodySchema,
  createWebhookBodySchema,
  webhookAnswerSchema,
  webhookCreationSchema,
  webhookListSchema,
} from "#lib/tracking/webhooks/schemas";
import { outcomeOf } from "#tests/support/call-tool";
import { provided } from "#tests/support/provided";
import { addVendor } from "#tests/support/vendor-rows";
import { testKeys } from "#tests/support/webhook-receivers";
import { createWebhookFixture, type WebhookFixture } from "./webhook-fixture";

const url = "https://receiver.example.com/hooks";
const fixture = provided(createWebhookFixture);
let caller: Awaited<ReturnType<WebhookFixture["caller"]>>;
beforeAll(async () => {
  for (const slug of ["acme", "globex"]) await addVendor(fixture.client, { slug });
});
beforeEach(async () => {
  await fixture.client.webhook.deleteMany();
  caller = await fixture.caller();
});

const contextOf = (who = caller) => ({ ...fixture.context, caller: who });
const options = { keys: testKeys, check: async (text: string) => new URL(text) };
async function register(filters?: ChangeFilters, who = caller) {
  const body = createWebhookBodySchema.parse({ url, events: ["intelligence.high_significance"], filters });
  return (await createWebhook(contextOf(who), { body }, options)).webhook;
}
const change = (id: string, filters: unknown, who = caller) => {
  const body = changeWebhookBodySchema.parse({ filters });
  return changeWebhook(contextOf(who), { params: { id }, body });
};
const listed = async () => {
  const { webhooks } = await listWebhooks(contextOf(), { query: { include: undefined } });
  return webhookListSchema.shape.webhooks.parse(webhooks);
};

describe("a webhook's filters", () => {
  type Subject = Parameters<WebhookFixture["enqueue"]>[2];
  const event: Required<Omit<NonNullable<Subject>, "diffId">> = {
    vendorSlug: "acme",
    categories: ["pricing-change", "api-change"],
    significance: 4,
  };
  const cases: { filters: ChangeFilters | undefined; subject?: Partial<typeof event>; count: number }[] = [
    { filters: undefined, count: 1 },
    { filters: {}, count: 1 },
    { filters: { vendors: ["globex", "acme"] }, count: 1 },
    { filters: { vendors: ["globex"] }, count: 0 },
    { filters: { categories: ["bug-fix", "api-change"] }, count: 1 },
    { filters: { categories: ["bug-fix"] }, count: 0 },
    { filters: { categories: ["bug-fix"] }, subject: { categories: [] }, count: 0 },
    { filters: { min_significance: 4 }, count: 1 },
    { filters: { min_significance: 5 }, count: 0 },
    { filters: { min_significance: 5 }, subject: { significance: 5 }, count: 1 },
    { filters: { vendors: ["acme"], categories: ["api-change"], min_significance: 4 }, count: 1 },
    { filters: { vendors: ["acme"], categories: ["api-change"], min_significance: 5 }, count: 0 },
    { filters: { vendors: ["globex"], categories: ["api-change"], min_significance: 4 }, count: 0 },
  ];

  it("leave out a minimum significance that earlier versions accepted", async () => {
    const { id } = await register({ vendors: ["acme"], min_significance: 4 });
    await fixture.client.webhook.update({ where: { id }, data: { minSignificance: 3 } });
    expect((await listed()).map(({ filters }) => filters)).toEqual([{ vendors: ["acme"] }]);
  });

  it.each(cases)("let $count of the event through: $filters, $subject", async ({ filters, subject, count }) => {
    await register(filters);
    expect((await fixture.enqueue({}, null, { ...event, ...subject })).deliveryCount).toBe(count);
  });

  it("are shown where they are set, and absent otherwise", async () => {
    const filters: ChangeFilters = { vendors: ["acme"], categories: ["api-change"], min_significance: 5 };
    const filtered = await register({ ...filters, vendors: ["acme", "acme"] });
    const open = await register();
    expect([filtered.filters, "filters" in open]).toEqual([filters, false]);
    expect((await listed()).map((webhook) => webhook.filters)).toEqual([undefined, filters]);
  });

  it("are replaced as a whole, from the next event on", async () => {
    const { id } = await register({ vendors: ["globex"], min_significance: 4 });
    expect((await fixture.enqueue({}, null, event)).deliveryCount).toBe(0);
    const answer = webhookAnswerSchema.parse(await change(id, { vendors: ["acme"] }));
    expect(answer.webhook).toMatchObject({ id, url, active: true, filters: { vendors: ["acme"] } });
    expect((await fixture.enqueue({}, null, event)).deliveryCount).toBe(1);
    for (const none of [null, {}]) expect("filters" in (await change(id, none)).webhook).toBe(false);
    expect((await fixture.enqueue({}, null, { ...event, vendorSlug: "globex" })).deliveryCount).toBe(1);
  });

  it("are changed with the webhook's own key alone, while it is active", async () => {
    const { id } = await register();
    expect(await outcomeOf(change(id, {}, await fixture.caller()))).toMatch(/^not_found: /);
    await deleteWebhook(contextOf(), { query: { id } });
    expect(await outcomeOf(change(id, {}))).toMatch(/^conflict: /);
  });

  it("name vendors that the caller sees", async () => {
    const stranger = await fixture.caller();
    await addVendor(fixture.client, { slug: "own", accountId: caller.accountId });
    expect(await outcomeOf(register({ vendors: ["own", "acme"] }))).toBe("accepted");
    for (const [slug, who] of [
      ["own", stranger],
      ["nobody", caller],
    ] as const)
      expect(await outcomeOf(register({ vendors: ["acme", slug] }, who))).toMatch(
        new RegExp(`^bad_request: Body field "filters.vendors": there is no vendor "${slug}"`),
      );
  });

  it("are answered with the models that are not known, which are kept", async () => {
    const models = ["gpt-5-mini", "gpt-5-mni"];
    const body = createWebhookBodySchema.parse({
      url,
      events: ["intelligence.high_significance"],
      filters: { models },
    });
    const created = webhookCreationSchema.parse(await createWebhook(contextOf(), { body }, options));
    expect([created.unknown_models, created.webhook.filters?.models]).toEqual([
      ["gpt-5-mni"],
      [expect.stringMatching(/gpt-5-mini$/), "gpt-5-mni"],
    ]);
    const { id } = created.webhook;
    expect(webhookAnswerSchema.parse(await change(id, { models })).unknown_models).toEqual(["gpt-5-mni"]);
    for (const filters of [{ models: ["gpt-5-mini"] }, null])
      expect(await change(id, filters)).not.toHaveProperty("unknown_models");
  });

  it("must be valid", () => {
    const vendors = Array.from({ length: 51 }, (_, index) => `v-${index}`);
    const lists = [
      { vendors: [] },
      { vendors: ["Not A Slug"] },
      { vendors },
      { categories: [] },
      { categories: ["x"] },
    ];
    const numbers = [0, 6, 4.5].map((min_significance) => ({ min_significance }));
    for (const filters of [...lists, ...numbers, { vendor: "acme" }, "acme"])
      expect([filters, changeWebhookBodySchema.safeParse({ filters }).success]).toEqual([filters, false]);
  });
});
