import { maxListedLinkCount } from "#lib/tracking/diffs/index";
import type { VendorPage } from "#lib/tracking/vendors/index";
import { SecurityBadge, SignificanceBadge } from "../../_components/badge";
import { type Column, DataTable } from "../../_components/data-table";
import { formatBytes, formatDateTime, formatDay, formatShortChanges } from "../../_components/format";
import { Link } from "../../_components/link";
import { RelativeTime } from "../../_components/relative-time";

const hashLength = 12;

/** Formats a number of links. A list has at most the first thousand links of a side. */
function formatLinkCount(links: readonly string[]): string {
  return `${links.length.toLocaleString("en")}${links.length === maxListedLinkCount ? " or more" : ""}`;
}

/** The latest changes, each linked to its page. */
export function DiffTable({ diffs, slug }: Pick<VendorPage, "diffs"> & { slug: string }) {
  const columns: readonly Column<(typeof diffs)[number]>[] = [
    {
      title: "Change",
      cell: ({ id, created_at }) => (
        <Link href={`/vendors/${slug}/diffs/${id}`}>
          <time dateTime={created_at}>{formatDateTime(created_at)}</time>
        </Link>
      ),
    },
    {
      title: "Significance",
      cell: ({ significance }) => (significance === null ? "–" : <SignificanceBadge significance={significance} />),
    },
    {
      title: "Lines",
      isNumber: true,
      cell: ({ lines_added: linesAdded, lines_removed: linesRemoved }) =>
        formatShortChanges({ linesAdded, linesRemoved }),
    },
    {
      title: "Links",
      isNumber: true,
      cell: ({ links_added, links_removed }) => `+${formatLinkCount(links_added)} −${formatLinkCount(links_removed)}`,
    },
  ];
  return <DataTable caption="Changes" columns={columns} items={diffs} keyOf={({ id }) => id} />;
}

/** The latest versions of the file. Samples were not fetched. */
export function SnapshotTable({ snapshots, vendor, now }: Pick<VendorPage, "snapshots" | "vendor"> & { now: Date }) {
  type Snapshots = readonly Column<(typeof snapshots)[number]>[];
  const fetchColumns: Snapshots = [
    { title: "Last seen", isNumber: true, cell: ({ fetched_at }) => <RelativeTime at={fetched_at} now={now} /> },
    { title: "HTTP", isNumber: true, cell: ({ http_status }) => http_status },
    {
      title: "Response time",
      isNumber: true,
      cell: ({ response_time_ms }) => `${response_time_ms.toLocaleString("en")} ms`,
    },
  ];
  const columns: Snapshots = [
    {
      title: "First seen",
      cell: ({ id, firstSeenAt }) => (
        <Link href={`/vendors/${vendor.slug}/snapshots/${id}`}>
          <time dateTime={firstSeenAt.toISOString()}>{formatDay(firstSeenAt)}</time>
        </Link>
      ),
    },
    { title: "SHA-256", cell: ({ content_hash }) => <code>{content_hash.slice(0, hashLength)}</code> },
    { title: "Size", isNumber: true, cell: ({ byte_size }) => formatBytes(byte_size) },
    { title: "Lines", isNumber: true, cell: ({ line_count }) => line_count.toLocaleString("en") },
    { title: "Links", isNumber: true, cell: ({ link_count }) => link_count.toLocaleString("en") },
    ...(vendor.isSample ? [] : fetchColumns),
    { title: "Security", isNumber: true, cell: ({ security_score }) => <SecurityBadge score={security_score} /> },
  ];
  return <DataTable caption="Snapshots" columns={columns} items={snapshots} keyOf={({ id }) => id} />;
}
