import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import type { Ids } from "#lib/platform/ids";
import { insertVendor, type VendorOrigin, type WrittenVendors, writeVendors } from "./store";
import type { VendorInput } from "./vendor-input";

export type ManageContext = { database: Database; clock: Clock; ids: Ids };

function requireDistinct(inputs: readonly VendorInput[]): void {
  const seen = new Set<string>();
  for (const { slug } of inputs) {
    if (seen.has(slug)) throw new AppError("bad_request", `The slug "${slug}" comes more than once.`);
    seen.add(slug);
  }
}

/** The database's code for a row that refers to one that is not there. */
const missingReference = "P2003";

async function explaining<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== missingReference) throw cause;
    throw new AppError("bad_request", "An account_id names no account. tapedeck keys list shows them.", { cause });
  }
}

/**
 * Adds vendors and changes those that are there, by slug, all or none. With `keepsOthers`, those of another origin stay
 * as they are. Throws AppError bad_request for a slug that comes twice, and for an unknown account.
 */
export async function importVendors(
  { database, clock, ids }: ManageContext,
  {
    vendors,
    origin,
    keepsOthers = false,
  }: { vendors: readonly VendorInput[]; origin: VendorOrigin; keepsOthers?: boolean },
): Promise<WrittenVendors> {
  requireDistinct(vendors);
  return explaining(writeVendors(database, vendors, { origin, keepsOthers, now: clock.now(), ids }));
}

/** Adds one vendor. Throws AppError conflict where its slug is taken, and bad_request for an unknown account. */
export async function addVendor({ database, clock, ids }: ManageContext, vendor: VendorInput): Promise<void> {
  const isAdded = await explaining(insertVendor(database, vendor, { now: clock.now(), ids }));
  if (!isAdded) throw new AppError("conflict", `The slug "${vendor.slug}" is taken.`);
}
