"use client";

import { type SyntheticEvent, useState } from "react";
import { SignificanceBadge } from "../../../_components/badge";
import { scrollBox } from "../../../_components/scroll-box";
import type { SendRequest } from "../api-request";
import { formatDateTime } from "../format-date-time";
import styles from "../key.module.css";
import { useSubmit } from "../use-submit";
import type { LatestChange as Change } from "./types";

type Props = { slug: string; name: string; change: Change; sendRequest: SendRequest };

const formatLines = (count: number) => `${count.toLocaleString("en")} ${count === 1 ? "line" : "lines"}`;

/** The latest change of a vendor of the account. Its lines are loaded with the key: the site has no page for it. */
export function LatestChange({ slug, name, change, sendRequest }: Props) {
  const { created_at: at, lines_added: added, lines_removed: removed, summary, significance } = change;
  const [text, setText] = useState<string>();
  const { error, isBusy, submit } = useSubmit(sendRequest);
  const load = ({ currentTarget }: SyntheticEvent<HTMLDetailsElement>) => {
    if (!currentTarget.open || isBusy || text !== undefined) return;
    void submit<{ diffs: { diff_text?: string }[] }>(`/api/v1/vendors/${slug}/diffs?limit=1`, {}, ({ diffs }) =>
      setText(diffs[0]?.diff_text ?? "The change is no longer stored."),
    );
  };
  return (
    <div className={styles.change}>
      <p className={styles.note}>
        <span>
          Latest change: <time dateTime={at}>{formatDateTime(at)}</time>
        </span>
        {significance !== null && <SignificanceBadge significance={significance} />}
      </p>
      <p dir="auto">{summary ?? "Not analysed yet."}</p>
      <details onToggle={load}>
        <summary>
          {formatLines(added)} added, {removed.toLocaleString("en")} removed
          <span className="visually-hidden"> in {name}</span>
        </summary>
        {text !== undefined && <pre {...scrollBox(`Changed lines of ${name}`)}>{text}</pre>}
        <p role="status" className={error ? styles.failed : styles.note}>
          {isBusy ? "Loading the changed lines…" : error}
        </p>
      </details>
    </div>
  );
}
