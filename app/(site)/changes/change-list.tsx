import { toVisible } from "#lib/tracking/diffs/index";
import type { ChangePage } from "#lib/tracking/feed/index";
import { Badge, SignificanceBadge } from "../../_components/badge";
import { Link } from "../../_components/link";
import { formatDay, formatLineChanges, formatLinkChanges } from "../../vendors/_components/format-counts";
import styles from "./change-list.module.css";

type Change = ChangePage["changes"][number];

function formatCounts(change: Change): string {
  const { linkCountAdded: added, linkCountRemoved: removed } = change;
  const lines = formatLineChanges(change);
  return added + removed > 0 ? `${lines}; ${formatLinkChanges(added, removed)}` : lines;
}

function ChangeEntry({ change }: { change: Change }) {
  const { id, name, slug, domain, createdAt, significance, summary, categories } = change;
  return (
    <li>
      {significance === null ? (
        <span className="muted">
          <span aria-hidden="true">–</span>
          <span className="visually-hidden">No report yet</span>
        </span>
      ) : (
        <SignificanceBadge significance={significance} />
      )}
      <div className={styles.text}>
        <p className={styles.name}>
          <Link href={`/vendors/${slug}`}>{name}</Link> <span className="muted">{domain}</span>
        </p>
        {summary !== null && <p dir="auto">{toVisible(summary)}</p>}
        <p className={styles.facts}>
          <time dateTime={createdAt.toISOString()}>{formatDay(createdAt)}</time>
          <Link href={`/vendors/${slug}/diffs/${id}`}>{formatCounts(change)}</Link>
          {categories?.map((category) => (
            <Badge key={category}>{category}</Badge>
          ))}
        </p>
      </div>
    </li>
  );
}

/** Changes of vendors, each with its report as far as the site shows it. */
export function ChangeList({ changes }: Pick<ChangePage, "changes">) {
  return (
    <ol className={styles.changes}>
      {changes.map((change) => (
        <ChangeEntry key={change.id} change={change} />
      ))}
    </ol>
  );
}
