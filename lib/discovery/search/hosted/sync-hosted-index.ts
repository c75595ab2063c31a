import { AppError } from "#lib/platform/errors";
import type { Log } from "#lib/platform/log";
import type { Catalogue } from "#lib/replay/cassettes/index";
import { documentOfCassette, pageDocuments } from "../corpus";
import { type Passage, passagesOf } from "./passages";
import { type HostedEntry, type HostedIndex, hostedIndex } from "./store";

/** What a sync did, in passages: long documents are several. */
export type HostedSync = { passageCount: number; upsertedCount: number; deletedCount: number; unchangedCount: number };

type SyncContext = {
  catalogue: Catalogue;
  log: Log;
  /** In place of the one that the configuration names. */
  hosted?: HostedIndex;
};

/** Most passages that are kept in the hosted index; what is over is named in the log. */
const maxPassageCount = 50_000;
/** Most parts of the listing that are read. */
const maxListCallCount = 1_000;
/** Passages of one call: well under what the service takes at once, also in bytes. */
const upsertCount = 50;
const deleteCount = 200;

async function wantedPassages({ catalogue, log }: SyncContext): Promise<Map<string, Passage>> {
  const cassettes = (await catalogue.list()).map(documentOfCassette);
  const wanted = new Map<string, Passage>();
  for (const document of [...(await pageDocuments()), ...cassettes]) {
    for (const passage of passagesOf(document)) {
      if (wanted.size < maxPassageCount) wanted.set(passage.id, passage);
    }
  }
  if (wanted.size === maxPassageCount) log.warn(`only ${maxPassageCount} passages are kept in the hosted index`);
  return wanted;
}

async function listAll(hosted: HostedIndex): Promise<HostedEntry[]> {
  const all: HostedEntry[] = [];
  let cursor = "0";
  for (let call = 0; call < maxListCallCount; call++) {
    const { entries, nextCursor } = await hosted.list(cursor);
    all.push(...entries);
    if (nextCursor === "" || nextCursor === "0") return all;
    cursor = nextCursor;
  }
  throw new Error(`the hosted index has more than ${maxListCallCount} parts`);
}

async function inBatches<Item>(items: readonly Item[], count: number, run: (batch: Item[]) => Promise<void>) {
  for (let at = 0; at < items.length; at += count) await run(items.slice(at, at + count));
}

/**
 * Brings the hosted index to the corpus of all sites: what changed is sent, then what is gone is deleted; what others
 * keep in the same index is left alone. It can be run at any time, by several at once, and again after it was stopped.
 * Throws AppError service_unavailable where no hosted index is configured, and where it does not answer.
 */
export async function syncHostedIndex(context: SyncContext): Promise<HostedSync> {
  const { hosted = hostedIndex() } = context;
  if (!hosted) {
    throw new AppError(
      "service_unavailable",
      "No hosted search is configured. Set UPSTASH_SEARCH_REST_URL and UPSTASH_SEARCH_REST_TOKEN.",
    );
  }
  const wanted = await wantedPassages(context);
  try {
    const held = new Map((await listAll(hosted)).map(({ id, hash }) => [id, hash]));
    const changed = [...wanted.values()].filter(({ id, metadata }) => held.get(id) !== metadata.hash);
    const gone = [...held.keys()].filter((id) => !wanted.has(id));
    await inBatches(changed, upsertCount, (batch) => hosted.upsert(batch));
    await inBatches(gone, deleteCount, (batch) => hosted.delete(batch));
    return {
      passageCount: wanted.size,
      upsertedCount: changed.length,
      deletedCount: gone.length,
      unchangedCount: wanted.size - changed.length,
    };
  } catch (cause) {
    throw new AppError("service_unavailable", `The hosted search could not be synced: ${(cause as Error).message}`, {
      cause,
    });
  }
}
