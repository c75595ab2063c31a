import type { Database } from "#lib/platform/database/index";
import { DecryptionError, type EncryptionKeys, encryptedPrefix } from "#lib/platform/encryption";
import type { Log } from "#lib/platform/log";
import { openSecret, sealSecret } from "./secrets";
import { findSecretsWithout, replaceSealed, type SealedSecrets } from "./store";

const batchSize = 200;
const smallestId = "00000000-0000-0000-0000-000000000000";

type ReencryptContext = { database: Database; log: Log; keys: EncryptionKeys };

/** What became of the secrets, in webhooks. */
export type ReencryptSummary = {
  reencrypted: number;
  /** No key opens them: the webhook needs a new secret, or the server its old key. */
  unreadable: number;
};

function reseal({ log, keys }: ReencryptContext, { id, secret, previousSecret }: SealedSecrets): SealedSecrets | null {
  const anew = (sealed: string) => sealSecret(keys, id, openSecret(keys, id, sealed));
  try {
    return { id, secret: anew(secret), previousSecret: previousSecret && anew(previousSecret) };
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    log.error({ webhookId: id, reason: error.message }, "a webhook's secret cannot be decrypted");
    return null;
  }
}

/**
 * Encrypts with the first key whatever secret another one encrypted. Once it is done, the other keys can go. Goes on
 * where it stopped when it is called again; `signal` stops it between two batches.
 */
export async function reencryptSecrets(
  context: ReencryptContext,
  { signal }: { signal?: AbortSignal } = {},
): Promise<ReencryptSummary> {
  const { database, keys } = context;
  const [first] = keys;
  if (!first) throw new Error("there is no key to encrypt with");
  const summary = { reencrypted: 0, unreadable: 0 };
  let after = smallestId;
  while (!signal?.aborted) {
    const batch = await findSecretsWithout(database, { prefix: encryptedPrefix(first), after, limit: batchSize });
    for (const old of batch) {
      const sealed = reseal(context, old);
      if (!sealed) summary.unreadable += 1;
      else if (await replaceSealed(database, old, sealed)) summary.reencrypted += 1;
      after = old.id;
    }
    if (batch.length < batchSize) break;
  }
  return summary;
}
