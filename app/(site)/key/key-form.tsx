"use client";

import { type FormEvent, useState } from "react";
import { Button } from "../../_components/button";
import { describedBy, Field } from "../../_components/field";
import styles from "./key.module.css";

type Props = {
  /** The key of this tab, if it has one. */
  kept: string | null;
  isBusy: boolean;
  onLook: (key: string) => void;
  onForget: () => void;
};

const keyForm = /^ltf_[0-9A-Za-z]{38}$/;
const formError = "A key begins with ltf_ and has 42 characters, letters and digits.";
const hint = "Looking it up costs one request of today's; from Pro on a second one, for the webhooks.";

/** Takes the key. The field has no name, so that no form can carry it into an address. */
export function KeyForm({ kept, isBusy, onLook, onForget }: Props) {
  const [typed, setTyped] = useState("");
  const [isSeen, setIsSeen] = useState(false);
  const [error, setError] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const given = typed.trim() || (kept ?? "");
    if (!keyForm.test(given)) return setError(formError);
    setError(undefined);
    onLook(given);
  };
  return (
    <form onSubmit={submit} className={styles.form} noValidate>
      <Field id="key" label="API key" hint={hint} error={error}>
        <input
          id="key"
          type={isSeen ? "text" : "password"}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className="mono"
          placeholder={kept ? `the key of this tab, …${kept.slice(-4)}` : "ltf_…"}
          aria-invalid={error !== undefined}
          aria-describedby={describedBy("key", { hint, error })}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </Field>
      <p className={styles.buttons}>
        <Button type="submit" variant="primary" disabled={isBusy}>
          {isBusy ? "Looking…" : "Look up"}
        </Button>
        <Button aria-pressed={isSeen} onClick={() => setIsSeen(!isSeen)}>
          Show key
        </Button>
        {kept && <Button onClick={onForget}>Forget key</Button>}
      </p>
    </form>
  );
}
