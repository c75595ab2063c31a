import type { ProductContext } from "#lib/server/products";
import { getVendorFacts, isFetchingScheduled } from "#lib/tracking/vendors/index";
import { Link } from "./link";
import { orUndefined } from "./load-data";
import { Notice } from "./notice";

type Known = { isScheduled: boolean; hasSamples: boolean };

/** Undefined if the database does not answer, which other parts of the page say. */
async function load(context: ProductContext): Promise<Known | undefined> {
  const read = () => Promise.all([isFetchingScheduled(context), getVendorFacts(context)]);
  const known = await orUndefined(context, read, "could not read whether vendors are fetched");
  return known && { isScheduled: known[0], hasSamples: known[1].samples > 0 };
}

/** Whether it is known that vendors' files are not fetched on this server. */
export async function isFetchingOff(context: ProductContext): Promise<boolean> {
  return (await load(context))?.isScheduled === false;
}

/** How to turn fetching on. */
export function FetchingOff() {
  return (
    <>
      Fetching is off on this server, so vendors’ files are not updated. To turn it on, start the server with{" "}
      <code>CRON=on npm run up</code>, or see <Link href="/docs/jobs#how-jobs-are-started">Jobs</Link>.
    </>
  );
}

/** Says whether vendors' files are not fetched on this server, and what its sample vendors are. Empty if neither applies. */
export async function FetchingNotice({ context }: { context: ProductContext }) {
  const known = await load(context);
  if (!known || (known.isScheduled && !known.hasSamples)) return null;
  return (
    <Notice>
      {!known.isScheduled && (
        <p>
          <FetchingOff />
        </p>
      )}
      {known.hasSamples && (
        <p>Vendors marked “(sample)” are made up: their files and dates come with Tapedeck and are never fetched.</p>
      )}
    </Notice>
  );
}
