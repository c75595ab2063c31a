"use client";

import { type FormEvent, useState } from "react";
import { Button } from "../../_components/button";
import { describedBy, Field } from "../../_components/field";
import styles from "./key.module.css";

type Props = {
  /** The key of this tab, if it has one. */
  storedKey: string | null;
  isBusy: boolean;
  onSubmit: (key: string) => void;
  onForget: () => void;
};

const keyPattern = /^ltf_[0-9A-Za-z]{38}$/;
const patternError = "A key starts with ltf_ and has 42 characters: letters and digits.";
const hint = "Checking the key uses one of today's requests, and one for each list that is shown then.";

/** The form for the key. The field has no name, so that a form submission can never put the key into a URL. */
export function KeyForm({ storedKey, isBusy, onSubmit, onForget }: Props) {
  const [typed, setTyped] = useState("");
  const [isVisible, setIsVisible] = useState(false);
  const [error, setError] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const key = typed.trim() || (storedKey ?? "");
    if (!keyPattern.test(key)) return setError(patternError);
    setError(undefined);
    onSubmit(key);
  };
  return (
    <form onSubmit={submit} className={styles.form} noValidate>
      <Field id="key" label="API key" hint={hint} error={error}>
        <input
          id="key"
          type={isVisible ? "text" : "password"}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className="mono"
          placeholder={storedKey ? `the key of this tab, …${storedKey.slice(-4)}` : "ltf_…"}
          aria-invalid={error !== undefined}
          aria-describedby={describedBy("key", { hint, error })}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </Field>
      <p className={styles.buttons}>
        <Button type="submit" variant="primary" disabled={isBusy}>
          {isBusy ? "Checking…" : "Check key"}
        </Button>
        <Button aria-pressed={isVisible} onClick={() => setIsVisible(!isVisible)}>
          Show key
        </Button>
        {storedKey && <Button onClick={onForget}>Forget key</Button>}
      </p>
    </form>
  );
}
