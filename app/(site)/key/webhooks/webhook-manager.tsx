"use client";

import { formatCount } from "#lib/platform/format-count";
import { InputField, SelectField } from "../../../_components/field";
import { AddForm, textOf } from "../actions";
import { OptionalFilters, readFilters } from "../filter-fields";
import { ListSection, ProOnly } from "../list-section";
import { significances, WebhookItem, type Webhooks } from "./webhook-item";

const hint = "A public URL that starts with https:// or http://.";
const urlError = "The URL must start with https:// or http://.";

function readWebhook(form: FormData) {
  const url = textOf(form, "url");
  if (!/^https?:\/\/\S+$/i.test(url)) return urlError;
  const format = textOf(form, "format");
  return { url, events: ["intelligence.high_significance"], filters: readFilters(form), format };
}

const formats = [
  ["json", "JSON"],
  ["slack", "Slack"],
  ["discord", "Discord"],
  ["teams", "Microsoft Teams"],
] as const;

/** The form for a new webhook. Its signing secret is shown once. */
function CreateWebhook({ categories, onCreated }: { categories: readonly string[]; onCreated: () => void }) {
  return (
    <AddForm<{ secret: string }>
      path="/api/v1/webhooks"
      label="Register webhook"
      busyLabel="Registering…"
      readBody={readWebhook}
      secret={{
        title: "The webhook's signing secret (shown only once)",
        label: "signing secret",
        note: "Use it to verify each delivery.",
        of: ({ secret }) => secret,
      }}
      onDone={onCreated}
    >
      {(error) => (
        <>
          <InputField
            id="webhook-url"
            name="url"
            label="New webhook URL"
            hint={hint}
            error={error}
            type="url"
            placeholder="https://example.com/hooks/changes"
          />
          <SelectField id="webhook-format" name="format" label="Format" choices={formats} />
          <OptionalFilters id="webhook-filter" categories={categories} significances={significances} />
        </>
      )}
    </AddForm>
  );
}

const heading = { id: "webhooks", title: "Webhooks" };

/** The webhooks of a key, from Pro on. Lower tiers see which tier they need. */
export function WebhookManager({ tier, categories }: { tier: string; categories: readonly string[] }) {
  if (tier !== "pro") {
    return (
      <ProOnly {...heading} notice="Webhooks are part of Pro.">
        Get significant changes sent to your URL as soon as they are analysed.
      </ProOnly>
    );
  }
  return (
    <ListSection<Webhooks>
      {...heading}
      lead="Significant changes are sent to these URLs, signed."
      noun="webhooks"
      path="/api/v1/webhooks?include=inactive"
      describeCount={({ webhooks }) => formatCount(webhooks.length, "webhook")}
      renderItems={({ webhooks }, reload) =>
        webhooks.map((webhook) => (
          <WebhookItem key={webhook.id} webhook={webhook} categories={categories} onChanged={reload} />
        ))
      }
      renderForm={(reload) => <CreateWebhook categories={categories} onCreated={reload} />}
    />
  );
}
