"use client";

import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button, type ButtonVariant } from "../../_components/button";
import { CodeBlock } from "../../_components/code-block";
import { InputField } from "../../_components/field";
import { Notice } from "../../_components/page-parts";
import { useSubmit } from "./api-request";
import styles from "./key.module.css";

type StatusProps = { isBusy?: boolean; busyText?: string; error?: string | undefined; children?: ReactNode };

/** What an action does or did; screen readers announce it. */
export function ActionStatus({ isBusy, busyText = "Waiting for the response…", error, children }: StatusProps) {
  return (
    <p role="status" className={error && !isBusy ? "failed" : "caption"}>
      {isBusy ? busyText : (error ?? children)}
    </p>
  );
}

/** Says that an action failed, and why; empty without a message. */
export function Failure({ title, message }: { title: string; message: string | null | undefined }) {
  return (
    message && (
      <Notice tone="error" title={title}>
        {message}
      </Notice>
    )
  );
}

type ConfirmProps = {
  label: string;
  /** Label of the second button, which confirms. */
  confirmLabel: string;
  question: string;
  variant?: ButtonVariant;
  disabled?: boolean;
  onConfirm: () => void;
};

/** A button that asks for confirmation before an action that cannot be undone. */
export function ConfirmButton({ label, confirmLabel, question, variant, disabled, onConfirm }: ConfirmProps) {
  const id = useId();
  return (
    <>
      <Button variant={variant} disabled={disabled} popoverTarget={id}>
        {label}
      </Button>
      {/* A dialog gets the focus when it opens as a popover, and returns it. */}
      <dialog id={id} popover="auto" aria-label={question} className={styles.confirm}>
        <p>{question}</p>
        <p className="row tight">
          <Button variant="primary" popoverTarget={id} popoverTargetAction="hide" onClick={onConfirm}>
            {confirmLabel}
          </Button>
          <Button popoverTarget={id} popoverTargetAction="hide">
            Cancel
          </Button>
        </p>
      </dialog>
    </>
  );
}

type SecretProps = { title: string; value: string; label: string; note: string; onDone: () => void };

/** A secret that is shown only once. It gets the focus, and disappears when it is dismissed. */
export function OneTimeSecret({ title, value, label, note, onDone }: SecretProps) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <section ref={box} tabIndex={-1} aria-label={title} className={`${styles.item} panel stack`}>
      <strong>{title}</strong>
      <CodeBlock code={value} label={label} wrap />
      <p>{note}</p>
      <p>
        <Button onClick={onDone}>I’ve stored it</Button>
      </p>
    </section>
  );
}

type EmailProps = { id: string; placeholder: string; error: string | undefined };

/** The field of an address for mails with changes. */
export function EmailField({ id, placeholder, error }: EmailProps) {
  return (
    <InputField
      id={id}
      name="email"
      label="E-mail address"
      hint="It gets a mail with a link that confirms it. The link is valid for 24 hours."
      error={error}
      type="email"
      autoComplete="email"
      maxLength={254}
      placeholder={placeholder}
    />
  );
}

type AddFormProps<Data> = {
  /** Path of the list in the API. */
  path: string;
  label: string;
  /** Label of the button while a request is sent. */
  busyLabel: string;
  /** Returns the body of the request, or what is wrong with the fields. */
  readBody: (form: FormData) => object | string;
  /** A secret in the response, which is shown once. */
  secret?: Omit<SecretProps, "value" | "onDone"> & { of: (data: Data) => string };
  /** Returns what to say about the response. */
  describe?: (data: Data) => string;
  onDone?: () => void;
  /** The fields, with what is wrong. */
  children: (error: string | undefined) => ReactNode;
  /** Further fields, below the button. */
  fieldsBelow?: ReactNode;
};

/** Says what was done, and which models of a filter are not known: what has only these receives nothing. */
function outcomeText(done: string | undefined, data: unknown): string | undefined {
  const { unknown_models: unknown = [] } = data as { unknown_models?: string[] };
  if (unknown.length === 0) return done;
  return [done, `No such model is known: ${unknown.join(", ")}.`].filter(Boolean).join(" ");
}

/** A form that adds to a list. An error is shown at its field, and read out. */
export function AddForm<Data>({ path, label, busyLabel, readBody, children, ...more }: AddFormProps<Data>) {
  const { secret, describe, onDone, fieldsBelow } = more;
  const [result, setResult] = useState<string>();
  const [shown, setShown] = useState<string>();
  const { error, setError, isBusy, submit } = useSubmit();
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const body = readBody(new FormData(form));
    setResult(undefined);
    if (typeof body === "string") return setError(body);
    return submit<Data>(path, { method: "POST", body }, (data) => {
      form.reset();
      setShown(secret?.of(data));
      setResult(outcomeText(describe?.(data), data));
      onDone?.();
    });
  };
  return (
    <>
      {secret && shown && <OneTimeSecret {...secret} value={shown} onDone={() => setShown(undefined)} />}
      <form onSubmit={add} className="scripted stack" noValidate>
        {children(error)}
        <div className="row tight">
          <Button type="submit" disabled={isBusy}>
            {isBusy ? busyLabel : label}
          </Button>
          <ActionStatus>{result}</ActionStatus>
          <p role="alert" className="visually-hidden">
            {error}
          </p>
        </div>
        {fieldsBelow}
      </form>
    </>
  );
}

type EditFormProps = {
  /** Path of the item in the API. */
  path: string;
  /** What is changed: `filters`. */
  noun: string;
  /** The item's name, for screen readers. */
  of: string;
  readBody: (form: FormData) => object;
  /** Says that the item was changed. */
  done: string;
  onChanged: () => void;
  children: ReactNode;
};

/** A form that changes an item of a list. Each time it opens, it starts from what the item has. */
export function EditForm({ path, noun, of, readBody, done, onChanged, children }: EditFormProps) {
  const box = useRef<HTMLDetailsElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [saved, setSaved] = useState<string>();
  const { error, setError, isBusy, submit } = useSubmit();
  const toggle = (opens: boolean) => {
    setIsOpen(opens);
    if (!opens) return;
    setSaved(undefined);
    setError(undefined);
  };
  const finish = (data: unknown) => {
    setSaved(outcomeText(done, data));
    box.current?.removeAttribute("open");
    box.current?.querySelector("summary")?.focus();
    onChanged();
  };
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void submit(path, { method: "PATCH", body: readBody(new FormData(event.currentTarget)) }, finish);
  };
  return (
    <>
      <details ref={box} onToggle={({ currentTarget }) => toggle(currentTarget.open)}>
        <summary>
          Edit {noun}
          <span className="visually-hidden"> of {of}</span>
        </summary>
        {isOpen && (
          <form onSubmit={save} className={`${styles.filters} stack`}>
            {children}
            <p>
              <Button type="submit" disabled={isBusy}>
                {isBusy ? "Saving…" : `Save ${noun}`}
              </Button>
            </p>
          </form>
        )}
      </details>
      <ActionStatus error={error}>{saved}</ActionStatus>
    </>
  );
}

/** Returns the address in a form; undefined if it cannot be one. */
export function emailOf(form: FormData): string | undefined {
  const email = textOf(form, "email");
  return /^\S+@\S+\.\S+$/.test(email) ? email : undefined;
}

/** Returns the text of a field. */
export const textOf = (form: FormData, name: string) => String(form.get(name) ?? "").trim();
