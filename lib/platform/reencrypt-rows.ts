import { DecryptionError, type EncryptionKeys, encryptedPrefix } from "./encryption";
import { lowestId } from "./ids";
import type { Log } from "./log";

/** Rows of a table with something encrypted in them. */
type EncryptedRows<Row extends { id: string }> = {
  /** Names a row in the log. */
  noun: string;
  /** Returns rows with a higher id than `after` that another key encrypted, the lowest first. */
  find: (selection: { prefix: string; after: string; limit: number }) => Promise<Row[]>;
  /** Decrypts a row and encrypts it with the first key. Throws DecryptionError. */
  reseal: (row: Row) => Row;
  /** Stores a row that was encrypted again; false if it was changed meanwhile. */
  replace: (old: Row, resealed: Row) => Promise<boolean>;
};

/** Result of a re-encryption, in rows. */
export type ReencryptSummary = {
  reencrypted: number;
  /** No configured key decrypts them. */
  unreadable: number;
};

const batchSize = 200;

/**
 * Encrypts with the first key all rows that another key encrypted. Afterwards the other keys can be removed. Can be
 * interrupted and called again; `signal` stops it between two batches.
 */
export async function reencryptRows<Row extends { id: string }>(
  { keys, log }: { keys: EncryptionKeys; log: Log },
  { noun, find, reseal, replace }: EncryptedRows<Row>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<ReencryptSummary> {
  const [first] = keys;
  if (!first) throw new Error("no encryption key is configured");
  const summary = { reencrypted: 0, unreadable: 0 };
  let after = lowestId;
  while (!signal?.aborted) {
    const batch = await find({ prefix: encryptedPrefix(first), after, limit: batchSize });
    for (const row of batch) {
      after = row.id;
      try {
        if (await replace(row, reseal(row))) summary.reencrypted += 1;
      } catch (error) {
        if (!(error instanceof DecryptionError)) throw error;
        log.error({ id: row.id, reason: error.message }, `could not decrypt a ${noun}`);
        summary.unreadable += 1;
      }
    }
    if (batch.length < batchSize) break;
  }
  return summary;
}
