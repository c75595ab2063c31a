import type { CallContext } from "#lib/accounts/keys/index";
import { ownAccountOf } from "#lib/tracking/vendor-access/index";
import { type Stats, vendorCategories, vendorStatuses } from "./schemas";
import { measureVendors, type VendorMeasure } from "./store";

/** Returns a sum for each name, including those of no vendor. */
function breakdown<Name extends string>(
  names: readonly Name[],
  groupsOf: (name: Name) => readonly VendorMeasure[],
): { [Key in Name]: number } {
  const entries = names.map((name) => [name, sum(groupsOf(name), "vendors")]);
  return Object.fromEntries(entries) as { [Key in Name]: number };
}

function sum(groups: readonly VendorMeasure[], field: "vendors" | "snapshots" | "diffs" | "bytes"): number {
  return groups.reduce((total, group) => total + group[field], 0);
}

/** Returns the statistics of the vendors that the caller sees. */
export async function getStats({ database, caller }: Pick<CallContext, "database" | "caller">): Promise<Stats> {
  const groups = await measureVendors(database, ownAccountOf(caller));
  const active = groups.filter(({ status }) => status === "active");
  return {
    vendors: sum(active, "vendors"),
    snapshots: sum(groups, "snapshots"),
    diffs: sum(groups, "diffs"),
    total_bytes_tracked: sum(groups, "bytes"),
    category_breakdown: breakdown(vendorCategories, (name) => active.filter(({ category }) => category === name)),
    status_breakdown: breakdown(vendorStatuses, (name) => groups.filter(({ status }) => status === name)),
  };
}
