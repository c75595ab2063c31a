"use client";

import type { SendRequest } from "../api-request";
import { ListSection, ProOnly } from "../list-section";
import { CreateWebhook } from "./create-webhook";
import type { Webhook } from "./types";
import { WebhookItem } from "./webhook-item";

type Props = { sendRequest: SendRequest; tier: string; categories: readonly string[] };

const heading = { id: "webhooks", title: "Webhooks" };

/** The webhooks of a key, from Pro on. Lower tiers see which tier they need. */
export function WebhookManager({ sendRequest, tier, categories }: Props) {
  if (tier !== "pro") {
    return (
      <ProOnly {...heading} notice="Webhooks are part of Pro.">
        Get significant changes sent to your URL as soon as they are analysed.
      </ProOnly>
    );
  }
  return (
    <ListSection<{ webhooks: Webhook[] }>
      {...heading}
      lead="Significant changes are sent to these URLs, signed."
      noun="webhooks"
      path="/api/v1/webhooks?include=inactive"
      sendRequest={sendRequest}
      describeCount={({ webhooks }) => `${webhooks.length} ${webhooks.length === 1 ? "webhook" : "webhooks"}`}
      renderItems={({ webhooks }, reload) =>
        webhooks.map((webhook) => (
          <WebhookItem
            key={webhook.id}
            webhook={webhook}
            sendRequest={sendRequest}
            categories={categories}
            onChanged={reload}
          />
        ))
      }
      renderForm={(reload) => <CreateWebhook sendRequest={sendRequest} categories={categories} onCreated={reload} />}
    />
  );
}
