import { type ChangeFeedContext, readSiteChanges, readVendorChanges } from "./change-feed";
import { writeAtom } from "./write-atom";

/** A feed's text, and its newest change: null before the first one. */
export type AtomFeed = { text: string; changedAt: Date | null };

/** The newest changes of all public vendors, as Atom. */
export async function getAtomFeed(context: ChangeFeedContext): Promise<AtomFeed> {
  const feed = await readSiteChanges(context, "/feed.xml");
  return { text: writeAtom(feed), changedAt: feed.changedAt };
}

/** The newest changes of one vendor, as Atom. Throws AppError not_found. */
export async function getVendorAtomFeed(
  context: ChangeFeedContext,
  { params: { slug } }: { params: { slug: string } },
): Promise<AtomFeed> {
  const feed = await readVendorChanges(context, slug);
  return { text: writeAtom(feed), changedAt: feed.changedAt };
}
