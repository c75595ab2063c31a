"use client";

import { type FormEvent, useState } from "react";
import { Button } from "../../../_components/button";
import { describedBy, Field } from "../../../_components/field";
import styles from "../key.module.css";
import type { Ask } from "../key-desk";
import { ShownOnce } from "../shown-once";

type Props = { ask: Ask; onCreated: () => void };

const hint = "Public, and begins with https:// or http://.";
const urlError = "An address begins with https:// or http://.";

/** Registers an address; its secret is shown once. */
export function CreateWebhook({ ask, onCreated }: Props) {
  const [url, setUrl] = useState("");
  const [error, setError] = useState<string>();
  const [secret, setSecret] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const create = async (event: FormEvent) => {
    event.preventDefault();
    const given = url.trim();
    if (!/^https?:\/\/\S+$/i.test(given)) return setError(urlError);
    setIsBusy(true);
    setError(undefined);
    const body = { url: given, events: ["intelligence.high_significance"] };
    const answer = await ask<{ secret: string }>("/api/v1/webhooks", { method: "POST", body });
    setIsBusy(false);
    if (!answer.ok) return setError(answer.message);
    setUrl("");
    setSecret(answer.data.secret);
    onCreated();
  };
  return (
    <>
      {secret && (
        <ShownOnce
          title="The webhook's signing secret, shown this once"
          value={secret}
          label="signing secret"
          note="Your receiver verifies each delivery with it."
          onDone={() => setSecret(undefined)}
        />
      )}
      <form onSubmit={create} className={styles.form} noValidate>
        <Field id="webhook-url" label="New webhook's address" hint={hint} error={error}>
          <input
            id="webhook-url"
            type="url"
            autoComplete="off"
            placeholder="https://example.com/hooks/changes"
            aria-invalid={error !== undefined}
            aria-describedby={describedBy("webhook-url", { hint, error })}
            value={url}
            onChange={({ target }) => setUrl(target.value)}
          />
        </Field>
        <p>
          <Button type="submit" disabled={isBusy}>
            {isBusy ? "Registering…" : "Register webhook"}
          </Button>
        </p>
        <p role="alert" className="visually-hidden">
          {error}
        </p>
      </form>
    </>
  );
}
