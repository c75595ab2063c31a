import type { ReactNode } from "react";
import type { ProductContext } from "#lib/server/products";
import { getVendorFacts, isFetchingScheduled } from "#lib/tracking/vendors/index";
import { Link } from "./link";
import { orUndefined } from "./load-data";
import { Notice } from "./page-parts";

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

/** What it means for visitors that vendors' files are not fetched. */
export function FetchingOff() {
  return (
    <>
      Fetching is off on this server, so vendors’ files are not updated (<Link href="/status">status</Link>).
    </>
  );
}

/** Says what the server's sample vendors are. Empty without any. */
export async function SamplesNote({ context }: { context: ProductContext }) {
  const known = await load(context);
  return known?.hasSamples && <p>Vendors marked “(sample)” are invented, with their files and dates.</p>;
}

type Props = {
  context: ProductContext;
  /** What to show instead where vendors' files are not fetched. */
  off?: ReactNode;
};

/** Says whether vendors' files are not fetched on this server, and what its sample vendors are. Empty if neither applies. */
export async function FetchingNotice({ context, off = <FetchingOff /> }: Props) {
  const known = await load(context);
  if (!known || (known.isScheduled && !known.hasSamples)) return null;
  return (
    <Notice>
      {!known.isScheduled && <p>{off}</p>}
      <SamplesNote context={context} />
    </Notice>
  );
}
