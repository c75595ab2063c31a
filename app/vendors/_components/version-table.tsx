import type { VersionList } from "#lib/tracking/history/index";
import { SecurityBadge } from "../../_components/badge";
import { type Column, DataTable } from "../../_components/data-table";
import { Link } from "../../_components/link";
import { RelativeTime } from "../../_components/relative-time";
import { formatBytes, formatMinute } from "./format-counts";
import styles from "./history-tables.module.css";

const columns: readonly Column[] = [
  { key: "firstSeen", title: "First seen" },
  { key: "lastSeen", title: "Last seen" },
  { key: "size", title: "Size", isNumber: true },
  { key: "lines", title: "Lines", isNumber: true },
  { key: "links", title: "Links", isNumber: true },
  { key: "security", title: "Security" },
  { key: "compare", title: "Compare" },
];

type Props = Pick<VersionList, "versions" | "latestId"> & { slug: string; now: Date };

/** Versions of a file, each linked to its page and to its difference from the latest one. */
export function VersionTable({ versions, latestId, slug, now }: Props) {
  const rows = versions.map((version) => ({
    key: version.id,
    cells: {
      firstSeen: (
        <Link href={`/vendors/${slug}/snapshots/${version.id}`} className={styles.noWrap}>
          {formatMinute(version.createdAt)} UTC
        </Link>
      ),
      lastSeen: <RelativeTime at={version.fetchedAt} now={now} />,
      size: formatBytes(version.byteSize),
      lines: version.lineCount.toLocaleString("en"),
      links: version.linkCount.toLocaleString("en"),
      security: (
        <span className={styles.cell}>
          <SecurityBadge score={version.securityScore} />
        </span>
      ),
      compare:
        latestId === null || version.id === latestId ? (
          <span className="muted">latest version</span>
        ) : (
          <Link href={`/vendors/${slug}/compare?from=${version.id}&to=${latestId}`} rel="nofollow">
            with the latest
          </Link>
        ),
    },
  }));
  return <DataTable caption="Versions" columns={columns} rows={rows} stacks />;
}
