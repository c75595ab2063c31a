"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, useEffect, useRef, useTransition } from "react";

const typingMs = 250;

/** The address that a form leads to, without what is empty. */
function buildUrl(form: HTMLFormElement): string {
  const given = [...new FormData(form)].filter(([, value]) => value !== "") as [string, string][];
  const parameters = new URLSearchParams(given);
  return parameters.size === 0 ? new URL(form.action).pathname : `${new URL(form.action).pathname}?${parameters}`;
}

type Props = { action: string; label: string; className?: string; children: ReactNode };

/** A search form that follows the typing. Without a script it is a form like any other. */
export function FilterForm({ action, label, className, children }: Props) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const follow = (form: HTMLFormElement) => {
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
          timer.current = setTimeout(() => follow(currentTarget), typingMs);
        }}
        onSubmit={(event) => {
          event.preventDefault();
          follow(event.currentTarget);
        }}
      >
        {children}
      </form>
    </search>
  );
}
