import type { ReactNode } from "react";
import { toVisible } from "#lib/tracking/diffs/index";
import type { ChangePage } from "#lib/tracking/feed/index";
import { Badge, SignificanceBadge } from "../../_components/badge";
import { formatChanges, formatDay } from "../../_components/format";
import { Link } from "../../_components/link";
import styles from "./change-list.module.css";

type Change = ChangePage["changes"][number];

type EntryProps = Pick<Change, "domain" | "significance" | "summary" | "categories"> & {
  /** Element of the entry's heading. */
  heading: "h2" | "h3";
  /** The link with the vendor's name. */
  name: ReactNode;
  /** When the change was, and links. */
  children: ReactNode;
};

/** A change with its report, as far as there is one. */
export function ChangeEntry(props: EntryProps) {
  const { domain, significance, summary, categories, heading: Heading, name, children } = props;
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
      <div className="text">
        <Heading>
          {name} <span className="muted">{domain}</span>
        </Heading>
        {summary !== null && <p dir="auto">{toVisible(summary)}</p>}
        <p className="row tight caption">
          {children}
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
    <ol className={`${styles.changes} plain-list`}>
      {changes.map((change) => (
        <ChangeEntry
          key={change.id}
          {...change}
          heading="h2"
          name={<Link href={`/vendors/${change.slug}`}>{change.name}</Link>}
        >
          <time dateTime={change.createdAt.toISOString()}>{formatDay(change.createdAt)}</time>
          <Link href={`/vendors/${change.slug}/diffs/${change.id}`}>{formatChanges(change)}</Link>
        </ChangeEntry>
      ))}
    </ol>
  );
}
