import { maxListedLinkCount } from "#lib/tracking/diffs/index";
import type { VendorPage } from "#lib/tracking/vendors/index";
import { SecurityBadge, SignificanceBadge } from "../../_components/badge";
import { type Column, DataTable } from "../../_components/data-table";
import { Link } from "../../_components/link";
import { RelativeTime } from "../../_components/relative-time";
import { formatBytes, formatDay, formatShortChanges } from "./format-counts";
import styles from "./history-tables.module.css";

const hashLength = 12;

const diffColumns: readonly Column[] = [
  { key: "at", title: "Change" },
  { key: "significance", title: "Significance" },
  { key: "lines", title: "Lines", isNumber: true },
  { key: "links", title: "Links", isNumber: true },
];

/** Formats a number of links. A list has at most the first thousand links of a side. */
function formatLinkCount(links: readonly string[]): string {
  return `${links.length.toLocaleString("en")}${links.length === maxListedLinkCount ? " or more" : ""}`;
}

/** The latest changes, each linked to its page. */
export function DiffTable({ diffs, slug }: Pick<VendorPage, "diffs"> & { slug: string }) {
  const rows = diffs.map((diff) => ({
    key: diff.id,
    cells: {
      at: <Link href={`/vendors/${slug}/diffs/${diff.id}`}>{formatDay(diff.created_at)}</Link>,
      significance:
        diff.significance === null ? (
          "–"
        ) : (
          <span className={styles.cell}>
            <SignificanceBadge significance={diff.significance} />
          </span>
        ),
      lines: formatShortChanges({ linesAdded: diff.lines_added, linesRemoved: diff.lines_removed }),
      links: `+${formatLinkCount(diff.links_added)} −${formatLinkCount(diff.links_removed)}`,
    },
  }));
  return <DataTable caption="Changes" columns={diffColumns} rows={rows} />;
}

const snapshotColumns: readonly Column[] = [
  { key: "firstSeen", title: "First seen" },
  { key: "hash", title: "SHA-256" },
  { key: "size", title: "Size", isNumber: true },
  { key: "lines", title: "Lines", isNumber: true },
  { key: "links", title: "Links", isNumber: true },
  { key: "fetched", title: "Last seen", isNumber: true },
  { key: "status", title: "HTTP", isNumber: true },
  { key: "time", title: "Response time", isNumber: true },
  { key: "security", title: "Security", isNumber: true },
];

/** Columns about the fetches of a version, which samples don't have. */
const fetchColumns = ["fetched", "status", "time"];

/** The latest versions of the file. */
export function SnapshotTable({ snapshots, vendor, now }: Pick<VendorPage, "snapshots" | "vendor"> & { now: Date }) {
  const rows = snapshots.map((snapshot) => ({
    key: snapshot.id,
    cells: {
      firstSeen: (
        <Link href={`/vendors/${vendor.slug}/snapshots/${snapshot.id}`} className={styles.noWrap}>
          {formatDay(snapshot.firstSeenAt)}
        </Link>
      ),
      hash: <code>{snapshot.content_hash.slice(0, hashLength)}</code>,
      size: formatBytes(snapshot.byte_size),
      lines: snapshot.line_count.toLocaleString("en"),
      links: snapshot.link_count.toLocaleString("en"),
      fetched: <RelativeTime at={snapshot.fetched_at} now={now} />,
      status: snapshot.http_status,
      time: `${snapshot.response_time_ms.toLocaleString("en")} ms`,
      security: (
        <span className={styles.cell}>
          <SecurityBadge score={snapshot.security_score} />
        </span>
      ),
    },
  }));
  const columns = vendor.isSample ? snapshotColumns.filter(({ key }) => !fetchColumns.includes(key)) : snapshotColumns;
  return <DataTable caption="Snapshots" columns={columns} rows={rows} />;
}
