"use client";

import { type ReactNode, useCallback, useEffect, useState } from "react";
import { Button, ButtonLink } from "../../_components/button";
import { Notice } from "../../_components/notice";
import type { SendRequest } from "./api-request";
import styles from "./key.module.css";

type ListState<Listed> =
  | { status: "loading" }
  | { status: "failed"; message: string }
  | { status: "listed"; listed: Listed };

type SectionProps = { id: string; title: string; children: ReactNode };

/** A part of the dashboard. */
export function Section({ id, title, children }: SectionProps) {
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
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

type Props<Listed> = {
  id: string;
  title: string;
  lead: string;
  /** What is listed: `webhooks`. */
  noun: string;
  /** Path of the list in the API. */
  path: string;
  sendRequest: SendRequest;
  describeCount: (listed: Listed) => string;
  renderItems: (listed: Listed, reload: () => void) => readonly ReactNode[];
  /** The form that adds one. */
  renderForm: (reload: () => void) => ReactNode;
};

/** A list of what belongs to the key, with the form that adds to it. */
export function ListSection<Listed>(props: Props<Listed>) {
  const { id, title, lead, noun, path, sendRequest, describeCount, renderItems, renderForm } = props;
  const [list, setList] = useState<ListState<Listed>>({ status: "loading" });
  const load = useCallback(async () => {
    const result = await sendRequest<Listed>(path);
    setList(result.ok ? { status: "listed", listed: result.data } : { status: "failed", message: result.message });
  }, [sendRequest, path]);
  const [hasLoaded, setHasLoaded] = useState(false);
  useEffect(() => {
    // Load only once: a rotated key has the same list, and each request counts.
    if (hasLoaded) return;
    setHasLoaded(true);
    void load();
  }, [hasLoaded, load]);
  const items = list.status === "listed" ? renderItems(list.listed, load) : [];
  return (
    <Section id={id} title={title}>
      <p>{lead} Each action here uses one request.</p>
      <p role="status" className={list.status === "failed" ? "visually-hidden" : styles.note}>
        {list.status === "loading" && `Loading ${noun}…`}
        {list.status === "listed" && describeCount(list.listed)}
      </p>
      {list.status === "failed" && <Failure title={`Couldn’t load the ${noun}.`} message={list.message} />}
      {/* While the list loads, the notice keeps its place, so that the form below does not move under the pointer. */}
      {list.status !== "failed" && items.length === 0 && (
        <Notice tone="empty">{list.status === "loading" ? "…" : `No ${noun} yet.`}</Notice>
      )}
      {items.length > 0 && <ul className={`${styles.items} plain-list`}>{items}</ul>}
      {renderForm(load)}
      <p>
        <Button variant="quiet" onClick={load}>
          Refresh {noun}
        </Button>
      </p>
    </Section>
  );
}

type ProOnlyProps = { id: string; title: string; notice: string; children: string };

/** Says that a list is part of Pro. */
export function ProOnly({ id, title, notice, children }: ProOnlyProps) {
  return (
    <Section id={id} title={title}>
      <Notice tone="empty" title={notice}>
        <p>{children}</p>
        <p>
          <ButtonLink href="/pricing" variant="quiet">
            Compare tiers
          </ButtonLink>
        </p>
      </Notice>
    </Section>
  );
}
