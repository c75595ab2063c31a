import type { Database } from "#lib/platform/database/index";
import type { Site } from "#lib/replay/sites/index";
import { unknownVendor } from "#lib/tracking/diffs/index";
import { type DescribedChange, describeChange } from "./describe-change";
import { findChanges, findFollowedVendor } from "./store";

/** A feed of changes before it is written as Atom or JSON. */
export type ChangeFeed = {
  title: string;
  subtitle: string;
  /** Its own address, which is also its id. */
  url: string;
  homeUrl: string;
  author: string;
  /** The newest change, before the first one a moment that does not move. */
  updatedAt: Date;
  /** The newest change; null before the first one. */
  changedAt: Date | null;
  /** The newest first. */
  changes: DescribedChange[];
};

export type ChangeFeedContext = { database: Database; origin: string; site: Site; buildDate: string };

type FeedHead = Pick<ChangeFeed, "title" | "subtitle" | "url"> & { vendorId: string | null; emptySince: Date };

async function readChanges(
  context: ChangeFeedContext,
  { vendorId, emptySince, ...head }: FeedHead,
): Promise<ChangeFeed> {
  const { database, origin, site } = context;
  const found = await findChanges(database, vendorId);
  const changedAt = found[0]?.createdAt ?? null;
  const changes = found.map((change) => describeChange(change, origin));
  const shared = { homeUrl: `${origin}/`, author: site.display_name };
  return { ...head, ...shared, updatedAt: changedAt ?? emptySince, changedAt, changes };
}

/** The newest changes of all public vendors. `path` is the feed's own. */
export function readSiteChanges(context: ChangeFeedContext, path: string): Promise<ChangeFeed> {
  const { origin, site, buildDate } = context;
  return readChanges(context, {
    title: `${site.display_name}: changes`,
    subtitle: "Changes of the llms.txt files of the public vendors.",
    url: `${origin}${path}`,
    vendorId: null,
    emptySince: new Date(buildDate),
  });
}

/** The newest changes of one vendor. Throws AppError not_found. */
export async function readVendorChanges(context: ChangeFeedContext, slug: string): Promise<ChangeFeed> {
  const vendor = await findFollowedVendor(context.database, slug);
  if (!vendor) throw unknownVendor(slug);
  return readChanges(context, {
    title: `${vendor.name}: changes`,
    subtitle: `Changes of the llms.txt file of ${vendor.domain}.`,
    url: `${context.origin}/vendors/${vendor.slug}/feed.xml`,
    vendorId: vendor.id,
    emptySince: vendor.createdAt,
  });
}
