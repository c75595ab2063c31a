"use client";

import { type FormEvent, useRef, useState } from "react";
import { Badge } from "../../../_components/badge";
import { Button } from "../../../_components/button";
import type { SendRequest } from "../api-request";
import { ConfirmButton } from "../confirm-button";
import { describeFilters, FilterFields, fromFilters, toFilters } from "../filter-fields";
import { formatDateTime } from "../format-date-time";
import styles from "../key.module.css";
import { OneTimeSecret } from "../one-time-secret";
import { useSubmit } from "../use-submit";
import { DeliveryList } from "./delivery-list";
import { type Delivery, significances, type Webhook } from "./types";

type EditFiltersProps = {
  webhook: Webhook;
  sendRequest: SendRequest;
  categories: readonly string[];
  onChanged: () => void;
};

/** A form that replaces a webhook's filters. Each time it opens, it starts from those that the webhook has. */
function EditFilters({ webhook: { id, url, filters = {} }, sendRequest, categories, onChanged }: EditFiltersProps) {
  const box = useRef<HTMLDetailsElement>(null);
  const [values, setValues] = useState(() => fromFilters(filters));
  const [isSaved, setIsSaved] = useState(false);
  const { error, setError, isBusy, submit } = useSubmit(sendRequest);
  const start = () => {
    setIsSaved(false);
    setError(undefined);
    setValues(fromFilters(filters));
  };
  const finish = () => {
    setIsSaved(true);
    box.current?.removeAttribute("open");
    box.current?.querySelector("summary")?.focus();
    onChanged();
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    const body = { filters: toFilters(values) ?? null };
    void submit(`/api/v1/webhooks/${id}`, { method: "PATCH", body }, finish);
  };
  return (
    <>
      <details ref={box} className={styles.filters} onToggle={({ currentTarget }) => currentTarget.open && start()}>
        <summary>
          Edit filters<span className="visually-hidden"> of {url}</span>
        </summary>
        <form onSubmit={save} className={styles.form}>
          <FilterFields
            id={`filter-${id}`}
            values={values}
            categories={categories}
            significances={significances}
            onChange={setValues}
          />
          <p>
            <Button type="submit" disabled={isBusy}>
              {isBusy ? "Saving…" : "Save filters"}
            </Button>
          </p>
        </form>
      </details>
      <p role="status" className={error ? styles.failed : undefined}>
        {error ?? (isSaved && "Saved. The filters apply to changes from now on.")}
      </p>
    </>
  );
}

type Props = { webhook: Webhook; sendRequest: SendRequest; categories: readonly string[]; onChanged: () => void };
type Message = { text: string; isFailure: boolean } | null;

function describeTest({ status, attempts: [latest] }: Delivery): Message {
  const detail = latest?.error ?? (latest?.http_status ? `status ${latest.http_status}` : "no response");
  const isFailure = status !== "delivered";
  return { isFailure, text: isFailure ? `The test failed: ${detail}.` : `The test was delivered: ${detail}.` };
}

function describeStatus({
  active,
  failing_since: failing,
  deactivated_at: ended,
  deactivated_reason: why,
}: Webhook): string {
  if (!active) return `deactivated${ended ? ` ${formatDateTime(ended)}` : ""}${why ? `: ${why}` : ""}`;
  return failing ? `failing since ${formatDateTime(failing)}` : "";
}

/** A webhook with its actions and deliveries. */
export function WebhookItem({ webhook, sendRequest, categories, onChanged }: Props) {
  const { id, url, active, filters, created_at: createdAt } = webhook;
  const [message, setMessage] = useState<Message>(null);
  const [secret, setSecret] = useState<string>();
  const [showsDeliveries, setShowsDeliveries] = useState(false);
  const { error, isBusy, submit } = useSubmit(sendRequest);
  const shown = error === undefined ? message : { text: error, isFailure: true };

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
  const deactivate = () => act(`/api/v1/webhooks?id=${id}`, "DELETE", onChanged);
  const statusText = describeStatus(webhook);
  return (
    <li className={styles.item}>
      <h3>{url}</h3>
      <p className={styles.note}>
        <Badge tone={active ? "good" : "warning"}>{active ? "active" : "deactivated"}</Badge> registered{" "}
        {formatDateTime(createdAt)}
        {statusText && `; ${statusText}`}
        {filters && `; only ${describeFilters(filters)}`}
      </p>
      <div className={styles.buttons}>
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
              onConfirm={deactivate}
            />
          </>
        )}
        <Button variant="quiet" aria-expanded={showsDeliveries} onClick={() => setShowsDeliveries(!showsDeliveries)}>
          Deliveries
        </Button>
        <p role="status" className={shown?.isFailure ? styles.failed : styles.note}>
          {isBusy ? "Waiting for the response…" : shown?.text}
        </p>
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
      {active && (
        <EditFilters webhook={webhook} sendRequest={sendRequest} categories={categories} onChanged={onChanged} />
      )}
      {showsDeliveries && <DeliveryList webhookId={id} canRedeliver={active} sendRequest={sendRequest} />}
    </li>
  );
}
