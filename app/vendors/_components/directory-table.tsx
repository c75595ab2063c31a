import { dayMs } from "#lib/platform/time";
import type { DirectoryVendor, VendorChange } from "#lib/tracking/vendors/index";
import { VendorStatusBadge } from "../../_components/badge";
import { type Column, DataTable } from "../../_components/data-table";
import { Link } from "../../_components/link";
import { RelativeTime } from "../../_components/relative-time";
import styles from "./directory-table.module.css";
import { formatBytes, formatCount, formatDay, formatShortChanges } from "./format-counts";
import { timeScale } from "./time-scale";

/** Number of days that the sparkline covers. */
const sparklineDays = 90;

/** Sizes of the sparkline, in pixels. A change without a report is half as high as one of significance 1. */
const height = 28;
const pixelsPerLevel = 5;
const toLevel = (significance: number | null) => significance ?? 0.5;

function describeChanges(changes: readonly VendorChange[]): string {
  const known = changes.flatMap(({ significance }) => significance ?? []);
  const range = known.length > 0 ? `, significance up to ${Math.max(...known)}` : "";
  return `${formatCount(changes.length, "change")} since ${formatDay(changes.at(-1)?.at ?? new Date(0))}${range}`;
}

/** A vendor's recent changes as a small chart: each is a tick, whose height shows the significance. */
function ChangeSparkline({ changes, now }: { changes: readonly VendorChange[]; now: Date }) {
  const from = new Date(now.getTime() - sparklineDays * dayMs);
  const toX = timeScale(from, now);
  const shown = changes.filter(({ at }) => at >= from);
  const label = shown.length > 0 ? describeChanges(shown) : `No changes in ${sparklineDays} days`;
  return (
    <svg role="img" aria-label={label} className={styles.sparkline} width="160" height={height}>
      <line className={styles.line} x1="0" x2="100%" y1={height - 1} y2={height - 1} />
      {shown.map(({ id, at, significance }) => {
        const x = toX(at);
        return <line key={id} x1={x} x2={x} y1={height - 1} y2={height - 1 - toLevel(significance) * pixelsPerLevel} />;
      })}
    </svg>
  );
}

const columns: readonly Column[] = [
  { key: "vendor", title: "Vendor" },
  { key: "category", title: "Category", isMinor: true },
  { key: "status", title: "Status" },
  { key: "changes", title: `Changes, ${sparklineDays} days`, isMinor: true },
  { key: "latest", title: "Latest change" },
  { key: "size", title: "Size", isNumber: true, isMinor: true },
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
        <VendorStatusBadge status={status} hasVersion={byteSize !== null} />
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
