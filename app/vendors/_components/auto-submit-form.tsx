"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, useEffect, useRef, useTransition } from "react";

const debounceMs = 250;

/** Returns the URL that the form submits to, without empty fields. */
function buildUrl(form: HTMLFormElement): string {
  const fields = [...new FormData(form)].filter(([, value]) => value !== "") as [string, string][];
  const parameters = new URLSearchParams(fields);
  return parameters.size === 0 ? new URL(form.action).pathname : `${new URL(form.action).pathname}?${parameters}`;
}

type Props = { action: string; label: string; className?: string; children: ReactNode };

/** A search form that submits itself while the user types. Without JavaScript it is an ordinary form. */
export function AutoSubmitForm({ action, label, className, children }: Props) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const submit = (form: HTMLFormElement) => {
    clearTimeout(timer.current);
    startTransition(() => router.replace(buildUrl(form), { scroll: false }));
  };
  return (
    <search aria-label={label} aria-busy={isPending}>
      <form
        action={action}
        className={className}
        onChange={({ currentTarget }) => {
          clearTimeout(timer.current);
          timer.current = setTimeout(() => submit(currentTarget), debounceMs);
        }}
        onSubmit={(event) => {
          event.preventDefault();
          submit(event.currentTarget);
        }}
      >
        {children}
      </form>
    </search>
  );
}
