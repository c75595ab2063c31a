import type { DirectoryVendor } from "#lib/tracking/vendors/index";
import { StatusBadge } from "../../_components/badge";
import { type Column, DataTable } from "../../_components/data-table";
import { Link } from "../../_components/link";
import { RelativeTime } from "../../_components/relative-time";
import { ChangeSparkline, sparklineDays } from "./change-sparkline";
import styles from "./directory-table.module.css";
import { formatBytes, formatShortChanges } from "./format-counts";

const columns: readonly Column[] = [
  { key: "vendor", title: "Vendor" },
  { key: "category", title: "Category" },
  { key: "status", title: "Status" },
  { key: "changes", title: `Changes, ${sparklineDays} days` },
  { key: "latest", title: "Latest change" },
  { key: "size", title: "Size", isNumber: true },
  { key: "fetched", title: "Last fetch", isNumber: true },
];

function LatestChange({ vendor, now }: { vendor: DirectoryVendor; now: Date }) {
  const [latest] = vendor.changes;
  if (!latest) return <span className="muted">none yet</span>;
  return (
    <span>
      <Link href={`/vendors/${vendor.slug}/diffs/${latest.id}`}>
        <RelativeTime at={latest.at} now={now} />
      </Link>{" "}
      <span className="mono muted">{formatShortChanges(latest)}</span>
    </span>
  );
}

function renderCells(vendor: DirectoryVendor, now: Date) {
  const { name, slug, domain, category, status, byteSize, lastFetchedAt, changes } = vendor;
  return {
    vendor: (
      <>
        <Link href={`/vendors/${slug}`}>{name}</Link>
        <span className={styles.domain}>{domain}</span>
      </>
    ),
    category,
    status: (
      <span>
        <StatusBadge status={status} />
      </span>
    ),
    changes: <ChangeSparkline changes={changes} now={now} />,
    latest: <LatestChange vendor={vendor} now={now} />,
    size: byteSize === null ? "–" : formatBytes(byteSize),
    fetched: lastFetchedAt ? <RelativeTime at={lastFetchedAt} now={now} /> : "never",
  };
}

/** A page of the directory. */
export function DirectoryTable({ vendors, now }: { vendors: readonly DirectoryVendor[]; now: Date }) {
  const rows = vendors.map((vendor) => ({ key: vendor.slug, cells: renderCells(vendor, now) }));
  return <DataTable caption="Vendors" columns={columns} rows={rows} stacks />;
}
