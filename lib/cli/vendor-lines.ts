import { printable } from "#lib/platform/printable";
import type { OperatorVendor, VendorHistory } from "#lib/tracking/vendors/index";

export function vendorLine(vendor: OperatorVendor): string {
  const { slug, status, category, origin, isPublic, failureCount, lastFetchedAt, latestSnapshot } = vendor;
  const fetched = lastFetchedAt ? lastFetchedAt.toISOString().slice(0, 16) : "never fetched   ";
  const size = latestSnapshot ? `${latestSnapshot.byteSize} B` : "-";
  const marks = [isPublic ? "public" : "", origin, failureCount > 0 ? `${failureCount} failures` : ""].filter(Boolean);
  const columns = [slug.padEnd(24), status.padEnd(11), category.padEnd(15), fetched, size.padStart(10)];
  return `${columns.join("  ")}  ${marks.join(", ")}\n`;
}

type Fetch = VendorHistory["fetches"][number];

export function fetchLine({
  createdAt,
  outcome,
  failure,
  detail,
  httpStatus,
  responseTimeMs,
  byteSize,
}: Fetch): string {
  const measures = [
    httpStatus === null ? "" : `HTTP ${httpStatus}`,
    responseTimeMs === null ? "" : `${responseTimeMs} ms`,
    byteSize === null ? "" : `${byteSize} B`,
  ].filter(Boolean);
  const reason = failure === null ? "" : `  ${failure}: ${printable(detail ?? "")}`;
  return `${createdAt.toISOString()}  ${outcome.padEnd(12)}  ${measures.join(", ")}${reason}\n`;
}

type Finding = VendorHistory["securityFindings"][number];

export function findingLine({ detector, points, line, excerpt }: Finding): string {
  return `line ${String(line).padStart(5)}  ${points} points  ${detector.padEnd(24)}  ${printable(excerpt)}\n`;
}

type StatusChange = VendorHistory["statusChanges"][number];

export function statusLine({ createdAt, from, to, reason }: StatusChange): string {
  return `${createdAt.toISOString()}  ${from} -> ${to}  ${printable(reason)}\n`;
}
