import type { Context } from "#lib/platform/context";
import type { Database } from "#lib/platform/database/index";
import { type EncryptionKeys, requireEncryptionKeys } from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import { hashToken } from "#lib/platform/link-token";
import type { Digest } from "#prisma/generated/client";
import { openContact } from "./contacts";
import { confirmList } from "./lists";
import { frequencyTexts } from "./mails/confirmation";
import { addressOf } from "./manage-digests";
import { firstDueAt } from "./schedule";
import {
  confirmPending,
  deleteByUnsubscribeHash,
  findByConfirmHash,
  findByUnsubscribeHash,
  findVendorNames,
  type NamedVendor,
  removeFromList,
} from "./store";

type LinkContext = Pick<Context, "database" | "clock" | "log">;
type LinkInput = { query: { token: string } };

/** What the page of a link in a mail shows of its digest. */
export type LinkedDigest = {
  address: string;
  frequencyText: string;
  /** Empty: those that the account's tier covers. */
  vendors: readonly NamedVendor[];
  hasAccount: boolean;
  /** The token of the page that changes or ends it, if it is a list without an account that is mailed. */
  listToken: string | null;
};

const invalidLink =
  "This link is not valid: it is older than 24 hours, what it is for was ended, or another list of its address was confirmed later. If you get no mails, ask for them again.";
const noVendorLeft = "At least one vendor has to stay on the list. To end it, press Unsubscribe.";
const unknownDigest = "This link is not known, or its mails were ended already: nothing is mailed because of it.";

async function toLinked(database: Database, keys: EncryptionKeys, digest: Digest): Promise<LinkedDigest> {
  return {
    address: addressOf(keys, digest),
    frequencyText: frequencyTexts[digest.frequency],
    vendors: await findVendorNames(database, digest.filterVendors),
    hasAccount: digest.accountId !== null,
    listToken:
      digest.accountId === null && digest.status !== "disabled"
        ? openContact(keys, digest.id, digest.contact).unsubscribeToken
        : null,
  };
}

/** Returns the digest that a link confirms, or has confirmed, and changes nothing. Throws AppError not_found. */
export async function getConfirmation(
  { database, clock }: LinkContext,
  { query: { token } }: LinkInput,
  keys: EncryptionKeys = requireEncryptionKeys(),
): Promise<LinkedDigest & { isConfirmed: boolean }> {
  const digest = await findByConfirmHash(database, hashToken(token), clock.now());
  if (!digest) throw new AppError("not_found", invalidLink);
  return { ...(await toLinked(database, keys, digest)), isConfirmed: digest.status === "active" };
}

/**
 * Confirms the address of a digest: it gets changes that are reported from now on. Changes nothing if it is confirmed.
 * Throws AppError not_found, and conflict for a list with too many vendors.
 */
export async function confirmDigest(
  context: LinkContext,
  { query: { token } }: LinkInput,
  keys: EncryptionKeys = requireEncryptionKeys(),
): Promise<LinkedDigest> {
  const { database, clock, log } = context;
  const [at, confirmHash] = [clock.now(), hashToken(token)];
  const digest = await findByConfirmHash(database, confirmHash, at);
  if (!digest) throw new AppError("not_found", invalidLink);
  if (digest.status !== "pending") return toLinked(database, keys, digest);
  const change = { id: digest.id, confirmHash, at, nextDueAt: firstDueAt(digest.frequency, at) };
  const confirmed =
    digest.accountId === null
      ? await confirmList(database, keys, digest, change)
      : (await confirmPending(database, change)) && digest;
  // Null or false if another request has confirmed it meanwhile.
  if (confirmed) log.info({ digestId: confirmed.id }, "the address of a digest was confirmed");
  return toLinked(database, keys, confirmed || ((await findByConfirmHash(database, confirmHash, at)) ?? digest));
}

/** Returns the digest that a link ends, and changes nothing. Throws AppError not_found. */
export async function getUnsubscription(
  { database }: LinkContext,
  { query: { token } }: LinkInput,
  keys: EncryptionKeys = requireEncryptionKeys(),
): Promise<LinkedDigest> {
  const digest = await findByUnsubscribeHash(database, hashToken(token));
  if (!digest) throw new AppError("not_found", unknownDigest);
  return toLinked(database, keys, digest);
}

/**
 * Deletes the digest of a link with its address. With fields `listed` it takes those vendors off a list without an account that
 * have no field `keep`, and returns what stays. Throws AppError not_found if there is none, but not for the one-click body of a
 * mail program, which may repeat it, and conflict if no vendor would stay.
 */
export async function unsubscribe(
  { database, clock, log }: LinkContext,
  { query: { token }, rawBody }: LinkInput & { rawBody: Uint8Array },
  keys?: EncryptionKeys,
): Promise<LinkedDigest | null> {
  const body = Buffer.from(rawBody).toString();
  const fields = new URLSearchParams(body);
  const unsubscribeHash = hashToken(token);
  if (fields.has("listed")) {
    const kept = fields.getAll("keep");
    const slugs = fields.getAll("listed").filter((slug) => !kept.includes(slug));
    const isChanged = await removeFromList(database, { unsubscribeHash, slugs, at: clock.now() });
    const list = await findByUnsubscribeHash(database, unsubscribeHash);
    if (!list) throw new AppError("not_found", unknownDigest);
    if (!isChanged) throw new AppError("conflict", noVendorLeft);
    return toLinked(database, keys ?? requireEncryptionKeys(), list);
  }
  const isDeleted = await deleteByUnsubscribeHash(database, unsubscribeHash);
  if (isDeleted) log.info("a recipient unsubscribed from a digest");
  else if (!body.includes("List-Unsubscribe")) throw new AppError("not_found", unknownDigest);
  return null;
}
