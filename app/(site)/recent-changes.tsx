import { AppError } from "#lib/platform/errors";
import type { ProductContext } from "#lib/server/products";
import { listRecentChanges, type RecentChange } from "#lib/tracking/intelligence/index";
import { SamplesNote } from "../_components/fetching-notice";
import { Link } from "../_components/link";
import { Notice } from "../_components/page-parts";
import { RelativeTime } from "../_components/relative-time";
import { ChangeEntry } from "./changes/change-list";
import styles from "./changes/change-list.module.css";

async function loadChanges(context: ProductContext): Promise<RecentChange[] | AppError> {
  try {
    return await listRecentChanges(context);
  } catch (error) {
    if (error instanceof AppError) return error;
    context.log.error({ err: error }, "could not read the recent changes");
    return new AppError("service_unavailable", "The database does not answer. Try again in a few seconds.");
  }
}

/** Summaries of what vendors changed in the last seven days, the newest first. */
async function Changes({ context }: { context: ProductContext }) {
  const changes = await loadChanges(context);
  if (changes instanceof AppError) {
    return (
      <Notice tone="error" title="The changes can’t be loaded right now.">
        {changes.message}
      </Notice>
    );
  }
  if (changes.length === 0) {
    return <Notice tone="empty">No public vendor changed its file in the last seven days.</Notice>;
  }
  return (
    <ol className={`${styles.changes} plain-list`}>
      {changes.map(({ diffId, vendor, createdAt, ...report }) => (
        <ChangeEntry
          key={diffId}
          {...report}
          domain={vendor.domain}
          name={<Link href={`/vendors/${vendor.slug}/diffs/${diffId}`}>{vendor.name}</Link>}
        >
          <RelativeTime at={createdAt} now={context.clock.now()} />
        </ChangeEntry>
      ))}
    </ol>
  );
}

/** The newest changes of vendors, and what samples among them are. Its parts wait for the database at the same time. */
export function RecentChanges({ context }: { context: ProductContext }) {
  return (
    <div>
      <Changes context={context} />
      <div className="muted">
        <SamplesNote context={context} />
      </div>
    </div>
  );
}
