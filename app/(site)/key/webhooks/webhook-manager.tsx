"use client";

import { type FormEvent, useState } from "react";
import { InputField } from "../../../_components/field";
import type { SendRequest } from "../api-request";
import { noFilters, OptionalFilters, toFilters } from "../filter-fields";
import { FormFooter } from "../form-footer";
import styles from "../key.module.css";
import { ListSection, ProOnly } from "../list-section";
import { OneTimeSecret } from "../one-time-secret";
import { useSubmit } from "../use-submit";
import { significances, type Webhook } from "./types";
import { WebhookItem } from "./webhook-item";

type CreateWebhookProps = { sendRequest: SendRequest; categories: readonly string[]; onCreated: () => void };

const hint = "A public URL that starts with https:// or http://.";
const urlError = "The URL must start with https:// or http://.";

/** The form for a new webhook. Its signing secret is shown once. */
function CreateWebhook({ sendRequest, categories, onCreated }: CreateWebhookProps) {
  const [url, setUrl] = useState("");
  const [filterValues, setFilterValues] = useState(noFilters);
  const [secret, setSecret] = useState<string>();
  const { error, setError, isBusy, submit } = useSubmit(sendRequest);
  const create = (event: FormEvent) => {
    event.preventDefault();
    const trimmedUrl = url.trim();
    if (!/^https?:\/\/\S+$/i.test(trimmedUrl)) return setError(urlError);
    const body = { url: trimmedUrl, events: ["intelligence.high_significance"], filters: toFilters(filterValues) };
    return submit<{ secret: string }>("/api/v1/webhooks", { method: "POST", body }, (created) => {
      setUrl("");
      setFilterValues(noFilters);
      setSecret(created.secret);
      onCreated();
    });
  };
  return (
    <>
      {secret && (
        <OneTimeSecret
          title="The webhook's signing secret (shown only once)"
          value={secret}
          label="signing secret"
          note="Use it to verify each delivery."
          onDone={() => setSecret(undefined)}
        />
      )}
      <form onSubmit={create} className={styles.form} noValidate>
        <InputField
          id="webhook-url"
          label="New webhook URL"
          hint={hint}
          error={error}
          type="url"
          placeholder="https://example.com/hooks/changes"
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
        <OptionalFilters
          id="webhook-filter"
          values={filterValues}
          categories={categories}
          significances={significances}
          onChange={setFilterValues}
        />
        <FormFooter isBusy={isBusy} label="Register webhook" busyLabel="Registering…" error={error} />
      </form>
    </>
  );
}

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
