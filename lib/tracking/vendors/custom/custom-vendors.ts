import type { CallContext, Caller } from "#lib/accounts/keys/index";
import { countInMinute } from "#lib/accounts/limits/index";
import { reachesTier } from "#lib/accounts/plans/index";
import { type Config, config } from "#lib/platform/config";
import type { Context } from "#lib/platform/context";
import { isQueuePaused } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { type checkPublicUrl, requirePublicUrl } from "#lib/platform/outbound/index";
import { parseUrl } from "#lib/platform/parse-url";
import { hourMs, minuteMs } from "#lib/platform/time";
import vercel from "../../../../vercel.json" with { type: "json" };
import { slugOf } from "../schemas";
import {
  type AddVendorBody,
  type CustomVendorList,
  maxAddedPerMinute,
  maxCustomCount,
  type VendorAddition,
  type VendorRemoval,
  type VendorRenaming,
} from "./schemas";
import {
  countCustomVendors,
  deleteCustomVendor,
  type FoundVendor,
  findCustomVendors,
  findLastFetchRun,
  findVendorOfUrl,
  insertCustomVendor,
  renameCustomVendor,
} from "./store";

/** Workers start the job at least once an hour, and at once if a vendor is due. */
const workerSilenceMs = hourMs + 10 * minuteMs;

/** Returns the minute of the hour at which the platform's cron fetches vendors. */
function cronMinute(): number {
  return Number(vercel.crons.find(({ path }) => path.endsWith("/fetch-vendors"))?.schedule.split(" ")[0]);
}

function nextMinuteOfHour(now: Date, minute: number): Date {
  const thisHour = new Date(now);
  thisHour.setUTCMinutes(minute, 0, 0);
  return thisHour > now ? thisHour : new Date(thisHour.getTime() + hourMs);
}

type FetchedVendor = Pick<FoundVendor, "status" | "origin" | "nextFetchAt">;
type FetchSettings = Pick<Config, "VENDOR_FETCHING" | "VERCEL" | "CRON_SECRET">;

/** Returns when a vendor is fetched next; `at` is null if nobody is known to fetch it, and `note` says why. */
export async function expectFetch(
  { database, clock }: Pick<Context, "database" | "clock">,
  { status, origin, nextFetchAt }: FetchedVendor,
  { VENDOR_FETCHING, VERCEL, CRON_SECRET }: FetchSettings = config(),
): Promise<VendorAddition["fetch"]> {
  if (origin === "sample") return { at: null, note: "It is a sample, which is never fetched." };
  if (status === "paused") return { at: null, note: "It is paused, and not fetched until the operator resumes it." };
  if (VENDOR_FETCHING === "off") {
    return { at: null, note: "Fetching is off on this server, until its operator turns it on." };
  }
  if (await isQueuePaused(database, "fetch")) {
    return { at: null, note: "Fetching is paused on this server, until its operator resumes it." };
  }
  const now = clock.now();
  const due = nextFetchAt > now ? nextFetchAt : now;
  if (VERCEL && CRON_SECRET) {
    return { at: nextMinuteOfHour(due, cronMinute()).toISOString(), note: "The cron fetches it then." };
  }
  const last = await findLastFetchRun(database);
  if (!last || now.getTime() - last.getTime() >= workerSilenceMs) {
    return { at: null, note: "No worker runs at the moment. The next run of the job fetch-vendors fetches it." };
  }
  const note = due > now ? "A worker fetches it then." : "A worker fetches it within seconds.";
  return { at: due.toISOString(), note };
}

export type CustomVendorContext = CallContext & Pick<Context, "ids">;

/** Returns the caller's account. Throws AppError unauthorized without a key. */
function requireAccount({ accountId }: Caller): string {
  if (accountId !== null) return accountId;
  throw new AppError("unauthorized", "Vendors are added to an account. Send your API key.");
}

/** Returns the caller's account. Throws AppError unauthorized without a key, and forbidden below the tier pro. */
function requireProAccount(caller: Caller): string {
  const accountId = requireAccount(caller);
  if (reachesTier(caller.tier, "pro")) return accountId;
  throw tierTooLow();
}

const tierTooLow = () => new AppError("forbidden", "Vendors of your own need a key of the pro tier or a higher one.");

function describeVendor({ name, slug, domain, category, status, ...urls }: FoundVendor): VendorAddition["vendor"] {
  const { llmsTxtUrl, llmsFullTxtUrl } = urls;
  return { name, slug, domain, category, status, llms_txt_url: llmsTxtUrl, llms_full_txt_url: llmsFullTxtUrl };
}

/** Returns a URL as it is stored, so that one file has one URL. Throws AppError bad_request. */
function normalizeUrl(text: string): URL {
  const url = parseUrl(text);
  if (!url) throw new AppError("bad_request", 'Body field "url": it is not a valid URL.');
  url.hash = "";
  return url;
}

/** Counts an addition. Throws AppError rate_limited with `Retry-After`. */
async function requireAdditionLeft({ database, clock }: CustomVendorContext, accountId: string): Promise<void> {
  const done = `added ${maxAddedPerMinute} vendors`;
  await countInMinute(database, { action: "vendors", accountId, limit: maxAddedPerMinute, now: clock.now(), done });
}

/** Longest part of a slug that is derived from the name. */
const maxSlugWordsLength = 48;
const suffixLength = 8;

/** Returns a slug with a random end, always, so that it does not tell whether another account has the same vendor. */
function deriveSlug(name: string, id: string): string {
  const words = slugOf(name).slice(0, maxSlugWordsLength).replace(/-+$/, "") || "vendor";
  return `${words}-${id.slice(-suffixLength)}`;
}

type Added = { addition: VendorAddition; isNew: boolean };

async function describeExisting(context: CustomVendorContext, vendor: FoundVendor): Promise<Added> {
  const { at, note } = await expectFetch(context, vendor);
  const fetch = { at, note: `The URL is tracked already. ${note}` };
  return { addition: { vendor: describeVendor(vendor), fetch }, isNew: false };
}

/**
 * Adds a vendor that only the caller's account sees; it is due at once. Returns the existing vendor if the account has the
 * URL already, or everybody sees a vendor of it. Throws AppError bad_request if the URL is not public, conflict if the
 * account has `maxCustomCount` vendors, and rate_limited after `maxAddedPerMinute` additions in a minute.
 */
export async function addCustomVendor(
  context: CustomVendorContext,
  { body }: { body: AddVendorBody },
  { check }: { check?: typeof checkPublicUrl } = {},
): Promise<Added> {
  const { caller, clock, ids, database } = context;
  const accountId = requireProAccount(caller);
  const { href: url, host } = normalizeUrl(body.url);
  const { format: reader } = body;
  const existing = await findVendorOfUrl(database, { accountId, url, reader });
  if (existing) return describeExisting(context, existing);
  await requireAdditionLeft(context, accountId);
  await requirePublicUrl(url, check);
  const { name = host, category } = body;
  const id = ids.next();
  const vendor = {
    id,
    slug: deriveSlug(name, id),
    name,
    domain: host,
    category,
    reader,
    llmsTxtUrl: url,
    at: clock.now(),
  };
  const inserted = await insertCustomVendor(database, accountId, vendor, maxCustomCount);
  if (inserted === "tier_ended") throw tierTooLow();
  if (inserted === "slug_taken") throw new AppError("conflict", "The vendor could not be added. Try again.");
  if (inserted === "full") {
    const message = `Your account already has ${maxCustomCount} vendors of its own, the maximum. Remove one first.`;
    throw new AppError("conflict", message);
  }
  if (!inserted.isNew) return describeExisting(context, inserted.vendor);
  const fetch = await expectFetch(context, inserted.vendor);
  return { addition: { vendor: describeVendor(inserted.vendor), fetch }, isNew: true };
}

/** Renames a vendor of the caller's account; its slug stays. Throws AppError not_found for every other vendor. */
export async function renameVendor(
  { caller, database }: Pick<CustomVendorContext, "caller" | "database">,
  { params: { slug }, body: { name } }: { params: { slug: string }; body: { name: string } },
): Promise<VendorRenaming> {
  const renamed = await renameCustomVendor(database, requireProAccount(caller), { slug, name });
  if (renamed) return { vendor: describeVendor(renamed) };
  throw noSuchVendor(slug);
}

/** Removes a vendor of the caller's account with its history. Throws AppError not_found for every other vendor. */
export async function removeCustomVendor(
  { caller, database }: Pick<CustomVendorContext, "caller" | "database">,
  { params: { slug } }: { params: { slug: string } },
): Promise<VendorRemoval> {
  if (await deleteCustomVendor(database, requireAccount(caller), slug)) return { removed: true, slug };
  throw noSuchVendor(slug);
}

function noSuchVendor(slug: string): AppError {
  const message = `Your account has added no vendor "${slug}". GET /api/v1/vendors/custom lists those that it has.`;
  return new AppError("not_found", message);
}

type LatestChange = Awaited<ReturnType<typeof findCustomVendors>>[number]["latestChange"];

function describeChange(change: LatestChange): CustomVendorList["vendors"][number]["latest_change"] {
  if (!change) return null;
  const { id, createdAt, linesAdded, linesRemoved, report } = change;
  return {
    id,
    created_at: createdAt.toISOString(),
    lines_added: linesAdded,
    lines_removed: linesRemoved,
    summary: report?.summary ?? null,
    significance: report?.significance ?? null,
  };
}

/** Returns the vendors of the caller's account, newest first, how their fetches go, and, from pro on, their latest changes. */
export async function listCustomVendors({
  caller,
  database,
}: Pick<CustomVendorContext, "caller" | "database">): Promise<CustomVendorList> {
  const accountId = requireAccount(caller);
  // An operator may have added more than the account itself could.
  const [count, found] = await Promise.all([
    countCustomVendors(database, accountId),
    findCustomVendors(database, accountId, 2 * maxCustomCount),
  ]);
  const vendors = found.map((vendor) => ({
    ...describeVendor(vendor),
    created_at: vendor.createdAt.toISOString(),
    last_fetched_at: vendor.lastFetchedAt?.toISOString() ?? null,
    next_fetch_at: vendor.nextFetchAt.toISOString(),
    failure: vendor.failure,
    latest_change: reachesTier(caller.tier, "pro") ? describeChange(vendor.latestChange) : null,
  }));
  return { count, limit: maxCustomCount, vendors };
}
