import { commandLine } from "#lib/platform/command-line";
import { config } from "#lib/platform/config";
import type { Context } from "#lib/platform/context";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import type { VendorOrigin } from "#prisma/generated/client";
import catalogue from "../../../../content/vendors/catalogue.json" with { type: "json" };
import { requireVendor } from "./read-operator-vendors";
import { type VendorInput, vendorFileSchema } from "./schemas";
import { deleteVendor, insertVendor, type WrittenVendors, writeStatus, writeVendors } from "./store";

/**
 * Adds the missing vendors of the bundled catalogue, which every installation tracks by default, and updates those that
 * came from it. Vendors that an operator has added or changed are kept as they are.
 */
export async function seedCatalogue(context: ManageContext): Promise<WrittenVendors> {
  const inputs = catalogue.vendors.map(({ description: _description, ...input }) => input);
  const { vendors } = vendorFileSchema.parse({ vendors: inputs });
  return importVendors(context, { vendors, origin: "catalogue", keepsOthers: true });
}

export type ManageContext = Pick<Context, "database" | "clock" | "ids">;

function requireDistinct(inputs: readonly VendorInput[]): void {
  const seen = new Set<string>();
  for (const { slug } of inputs) {
    if (seen.has(slug)) throw new AppError("bad_request", `The slug "${slug}" appears more than once.`);
    seen.add(slug);
  }
}

/** Prisma's error code for a violated foreign key. */
const foreignKeyViolation = "P2003";

async function explainUnknownAccount<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== foreignKeyViolation) throw cause;
    const message = `There is no account with the given account_id. List accounts: ${commandLine("keys list")}`;
    throw new AppError("bad_request", message, { cause });
  }
}

/**
 * Adds or updates vendors by slug, all or none. With `keepsOthers`, existing vendors of another origin are not changed.
 * Throws AppError bad_request for a repeated slug or an unknown account.
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
  return explainUnknownAccount(writeVendors(database, vendors, { origin, keepsOthers, now: clock.now(), ids }));
}

/** Adds a vendor. Throws AppError conflict if its slug is taken, and bad_request for an unknown account. */
export async function addVendor({ database, clock, ids }: ManageContext, vendor: VendorInput): Promise<void> {
  const isAdded = await explainUnknownAccount(insertVendor(database, vendor, { now: clock.now(), ids }));
  if (!isAdded) throw new AppError("conflict", `The slug "${vendor.slug}" is taken.`);
}

/** Stops fetching a vendor and keeps its history. Throws AppError not_found. */
export async function pauseVendor({ database, clock, ids }: ManageContext, { slug }: { slug: string }): Promise<void> {
  await requireVendor(database, slug);
  const reason = "paused by an operator";
  await writeStatus(database, ids, { slug, to: "paused", from: ["active", "unreachable"], reason, now: clock.now() });
}

/** Resumes fetching a vendor, now. Throws AppError not_found, and conflict if it is not paused. */
export async function resumeVendor({ database, clock, ids }: ManageContext, { slug }: { slug: string }): Promise<void> {
  const { status } = await requireVendor(database, slug);
  const reason = "resumed by an operator";
  const isDone = await writeStatus(database, ids, { slug, to: "active", from: ["paused"], reason, now: clock.now() });
  if (!isDone) throw new AppError("conflict", `"${slug}" is not paused: it is ${status}.`);
}

/** Throws AppError not_found, and conflict for a vendor that the next start would add again. */
export async function requireRemovable(database: Database, slug: string): Promise<void> {
  const { origin } = await requireVendor(database, slug);
  const returns = origin === "catalogue" && config().VENDOR_CATALOGUE === "on";
  if (!returns) return;
  const advice = `Set VENDOR_CATALOGUE=off, or stop fetching it: ${commandLine(`vendors pause ${slug}`)}`;
  throw new AppError("conflict", `"${slug}" is of the catalogue, which would add it again. ${advice}`);
}

/** Deletes a vendor with its history, which cannot be restored. Throws AppError not_found, and conflict as `requireRemovable`. */
export async function removeVendor({ database }: Pick<ManageContext, "database">, { slug }: { slug: string }) {
  await requireRemovable(database, slug);
  await deleteVendor(database, slug);
}
