"use client";

import { type ReactNode, use, useCallback, useEffect, useState } from "react";
import { Button, ButtonLink } from "../../_components/button";
import { Notice, Section } from "../../_components/page-parts";
import { Failure } from "./actions";
import { SendRequestContext } from "./api-request";

type ListState<Listed> =
  | { status: "loading" }
  | { status: "failed"; message: string }
  | { status: "listed"; listed: Listed };

type Props<Listed> = {
  id: string;
  title: string;
  lead: string;
  /** What is listed: `webhooks`. */
  noun: string;
  /** Path of the list in the API. */
  path: string;
  describeCount: (listed: Listed) => string;
  renderItems: (listed: Listed, reload: () => void) => readonly ReactNode[];
  /** The form that adds one. */
  renderForm: (reload: () => void) => ReactNode;
};

/** A list of what belongs to the key, with the form that adds to it. */
export function ListSection<Listed>(props: Props<Listed>) {
  const { id, title, lead, noun, path, describeCount, renderItems, renderForm } = props;
  const sendRequest = use(SendRequestContext);
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
      <p role="status" className={list.status === "failed" ? "visually-hidden" : "caption"}>
        {list.status === "loading" && `Loading ${noun}…`}
        {list.status === "listed" && describeCount(list.listed)}
      </p>
      {list.status === "failed" && <Failure title={`Couldn’t load the ${noun}.`} message={list.message} />}
      {/* While the list loads, the notice keeps its place, so that the form below does not move under the pointer. */}
      {list.status !== "failed" && items.length === 0 && (
        <Notice tone="empty">{list.status === "loading" ? "…" : `No ${noun} yet.`}</Notice>
      )}
      {items.length > 0 && <ul className="stack plain-list">{items}</ul>}
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
        <ButtonLink href="/pricing" variant="quiet">
          Compare tiers
        </ButtonLink>
      </Notice>
    </Section>
  );
}
