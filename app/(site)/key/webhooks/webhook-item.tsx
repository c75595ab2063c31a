"use client";

import { useState } from "react";
import type { listWebhooks } from "#lib/tracking/webhooks/index";
import { Badge } from "../../../_components/badge";
import { Button } from "../../../_components/button";
import { formatDateTime } from "../../../_components/format";
import { ActionStatus, ConfirmButton, EditForm, OneTimeSecret } from "../actions";
import { type AnswerOf, useSubmit } from "../api-request";
import { describeFilters, FilterFields, readFilters } from "../filter-fields";
import styles from "../key.module.css";
import { type Delivery, DeliveryList } from "./delivery-list";

export type Webhooks = AnswerOf<typeof listWebhooks>;
type Webhook = Webhooks["webhooks"][number];

/** Choices of the least significance: events are only sent from 4 on. */
export const significances = [
  ["", "4 and 5"],
  ["5", "only 5"],
] as const;

type Props = { webhook: Webhook; categories: readonly string[]; onChanged: () => void };

/** A form that replaces a webhook's filters. */
function EditFilters({ webhook: { id, url, filters }, categories, onChanged }: Props) {
  return (
    <EditForm
      path={`/api/v1/webhooks/${id}`}
      noun="filters"
      of={url}
      readBody={(form) => ({ filters: readFilters(form) ?? null })}
      done="Saved. The filters apply to changes from now on."
      onChanged={onChanged}
    >
      <FilterFields id={`filter-${id}`} filters={filters} categories={categories} significances={significances} />
    </EditForm>
  );
}

type Message = { text: string; isFailure: boolean } | null;

function describeTest({ status, attempts: [latest] }: Delivery): Message {
  const detail = latest?.error ?? (latest?.http_status ? `status ${latest.http_status}` : "no response");
  const isFailure = status !== "delivered";
  return { isFailure, text: isFailure ? `The test failed: ${detail}.` : `The test was delivered: ${detail}.` };
}

function describeStatus(webhook: Webhook): string {
  const { active, failing_since: failing, deactivated_at: ended, deactivated_reason: why } = webhook;
  if (!active) return `; deactivated${ended ? ` ${formatDateTime(ended)}` : ""}${why ? `: ${why}` : ""}`;
  return failing ? `; failing since ${formatDateTime(failing)}` : "";
}

/** A webhook with its actions and deliveries. */
export function WebhookItem({ webhook, categories, onChanged }: Props) {
  const { id, url, active, filters, created_at: createdAt } = webhook;
  const [message, setMessage] = useState<Message>(null);
  const [secret, setSecret] = useState<string>();
  const [showsDeliveries, setShowsDeliveries] = useState(false);
  const { error, isBusy, submit } = useSubmit();

  const act = <Data,>(path: string, method: "POST" | "DELETE", done: (data: Data) => void) => {
    setMessage(null);
    return submit<Data>(path, { method }, done);
  };
  const test = () =>
    act<{ delivery: Delivery }>(`/api/v1/webhooks/${id}/test`, "POST", ({ delivery }) =>
      setMessage(describeTest(delivery)),
    );
  const rotate = () =>
    act<{ secret: string }>(`/api/v1/webhooks/${id}/rotate-secret`, "POST", (data) => setSecret(data.secret));
  return (
    <li className={`${styles.item} panel stack tight`}>
      <h3>{url}</h3>
      <p className="caption">
        <Badge tone={active ? "good" : "warning"}>{active ? "active" : "deactivated"}</Badge> registered{" "}
        {formatDateTime(createdAt)}
        {describeStatus(webhook)}
        {filters && `; only ${describeFilters(filters)}`}
      </p>
      <div className="row tight">
        {active && (
          <>
            <Button variant="quiet" disabled={isBusy} onClick={test}>
              Send test
            </Button>
            <ConfirmButton
              variant="quiet"
              label="Rotate secret"
              confirmLabel="Rotate now"
              question="The secret changes. For 24 hours, deliveries carry both signatures."
              disabled={isBusy}
              onConfirm={rotate}
            />
            <ConfirmButton
              variant="quiet"
              label="Deactivate"
              confirmLabel="Deactivate now"
              question="You can’t reactivate it."
              disabled={isBusy}
              onConfirm={() => act(`/api/v1/webhooks?id=${id}`, "DELETE", onChanged)}
            />
          </>
        )}
        <Button variant="quiet" aria-expanded={showsDeliveries} onClick={() => setShowsDeliveries(!showsDeliveries)}>
          Deliveries
        </Button>
        <ActionStatus isBusy={isBusy} error={error ?? (message?.isFailure ? message.text : undefined)}>
          {message?.text}
        </ActionStatus>
      </div>
      {secret && (
        <OneTimeSecret
          title="The new signing secret (shown only once)"
          value={secret}
          label="signing secret"
          note="For 24 hours, webhook-signature has two signatures: one from the new secret and one from the old."
          onDone={() => setSecret(undefined)}
        />
      )}
      {active && <EditFilters webhook={webhook} categories={categories} onChanged={onChanged} />}
      {showsDeliveries && <DeliveryList webhookId={id} canRedeliver={active} />}
    </li>
  );
}
