import type * as z from "zod";
import type { CallContext, Caller } from "#lib/accounts/keys/index";
import { clientSubject, countMail } from "#lib/accounts/limits/index";
import type { Context } from "#lib/platform/context";
import type { Database } from "#lib/platform/database/index";
import { DecryptionError, type EncryptionKeys, requireEncryptionKeys } from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import { hashToken, newToken } from "#lib/platform/link-token";
import { type Mailer, type MailSettings, requireMailSettings, sendNow } from "#lib/platform/mail/index";
import { dayMs } from "#lib/platform/time";
import { readFilters, tellUnknownModels, toFilters } from "#lib/tracking/change-filters/index";
import type { Digest } from "#prisma/generated/client";
import { listHashes, openContact, sealContact } from "./contacts";
import { confirmationMail } from "./mails/confirmation";
import { firstDueAt } from "./schedule";
import {
  type changeDigestBodySchema,
  type createDigestBodySchema,
  type DigestAnswer,
  type DigestDeletion,
  type DigestItem,
  type DigestList,
  maxDigestCount,
} from "./schemas";
import { deleteOwned, findDigest, findDigests, findVendorNames, insertDigest, insertList, updateDigest } from "./store";

/** How long the link of a confirmation is valid. */
const confirmMs = dayMs;
/** What the operator configured, unless a test passes it. */
type DigestTools = { settings?: MailSettings; keys?: EncryptionKeys; mailer?: Mailer };

/** Returns the settings and keys. Throws AppError service_unavailable if one of them is not configured. */
function requireTools({ settings = requireMailSettings(), keys = requireEncryptionKeys() }: DigestTools) {
  return { settings, keys };
}

function accountOf({ accountId }: Caller): string {
  if (accountId !== null) return accountId;
  throw new AppError("unauthorized", "Digests belong to an account. Send your API key.");
}

function digestNotFound(id: string): AppError {
  return new AppError("not_found", `Your account has no digest ${id}. GET /api/v1/digests lists its digests.`);
}

/** Decrypts the address of a digest. Throws AppError service_unavailable if no configured key opens it. */
export function addressOf(keys: EncryptionKeys, { id, contact }: Pick<Digest, "id" | "contact">): string {
  try {
    return openContact(keys, id, contact).address;
  } catch (cause) {
    if (!(cause instanceof DecryptionError)) throw cause;
    const message = "The address of a digest cannot be read. Only the operator of this server can change that.";
    throw new AppError("service_unavailable", message, { cause });
  }
}

/** Whether a digest sends mails, or still can be confirmed. */
const isUsable = ({ status, confirmUntil }: Digest, now: Date) =>
  status === "active" || (status === "pending" && confirmUntil !== null && confirmUntil > now);

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** Returns the error for an address that has a digest in the account. */
function addressTaken({ id, status, confirmUntil }: Digest): AppError {
  const message =
    status === "pending"
      ? `The digest ${id} of your account waits until ${timeText(confirmUntil)} for this address to be confirmed: a mail with the link was sent to it. For another mail, delete the digest and add it again.`
      : `The digest ${id} of your account is sent to this address. Change it with PATCH /api/v1/digests/${id}.`;
  return new AppError("conflict", message);
}

const timeText = (at: Date | null) => at?.toISOString() ?? null;

function toDigest(keys: EncryptionKeys, stored: Digest): DigestItem {
  const { id, frequency, status, confirmUntil, confirmedAt, lastSentAt, disabledAt, disabledReason } = stored;
  const filters = toFilters(stored);
  return {
    id,
    email: addressOf(keys, stored),
    frequency,
    status,
    ...(filters && { filters }),
    created_at: stored.createdAt.toISOString(),
    updated_at: stored.updatedAt.toISOString(),
    confirm_by: timeText(confirmUntil),
    confirmed_at: timeText(confirmedAt),
    last_sent_at: timeText(lastSentAt),
    disabled_at: timeText(disabledAt),
    disabled_reason: disabledReason,
  };
}

type ReadContext = Pick<CallContext, "caller" | "database">;
type CreateContext = CallContext & Context & { clientAddress: () => string | null };
type CreateInput = { body: z.output<typeof createDigestBodySchema> };

type NewDigest = Parameters<typeof insertDigest>[1];

/** Stores a digest of an account. Throws AppError conflict. */
async function insertOwned(
  database: Database,
  keys: EncryptionKeys,
  { digest, address }: { digest: NewDigest; address: string },
): Promise<Digest> {
  const inserted = await insertDigest(database, digest, {
    maxCount: maxDigestCount,
    hasSameAddress: (other) => isUsable(other, digest.at) && isSame(addressOf(keys, other), address),
  });
  if (inserted === "full") {
    const message = `Your account already has ${maxDigestCount} digests, the maximum. Delete one first.`;
    throw new AppError("conflict", message);
  }
  if ("existing" in inserted) throw addressTaken(inserted.existing);
  return inserted.inserted;
}

/**
 * Creates a digest of the calling key's account, or without a key a list of vendors, and mails the link that confirms its
 * address. Throws AppError service_unavailable if mail or encryption is not configured or the mail cannot be sent, bad_request
 * for a filter on an unknown vendor, a list without vendors or an address that the mail server refuses, rate_limited, and
 * conflict if the account has `maxDigestCount`.
 */
export async function createDigest(
  { caller, clock, ids, database, log, clientAddress }: CreateContext,
  { body: { email: address, frequency, filters = {} } }: CreateInput,
  tools: DigestTools = {},
): Promise<DigestAnswer> {
  const { settings, keys } = requireTools(tools);
  const { accountId } = caller;
  if (accountId === null && filters.vendors === undefined)
    throw new AppError("bad_request", 'Body field "filters.vendors": without an API key, name the vendors to follow.');
  if (accountId === null && Object.keys(filters).length > 1)
    throw new AppError("bad_request", 'Body field "filters": without an API key, "vendors" is the only filter.');
  const stored = await readFilters({ caller, database, clock }, filters);
  const unknown = await tellUnknownModels({ database, clock }, filters);
  const now = clock.now();
  const id = ids.next();
  const [token, unsubscribeToken] = [newToken(), newToken()];
  const pending = {
    ...stored,
    id,
    frequency,
    at: now,
    nextDueAt: now,
    contact: sealContact(keys, id, { address, unsubscribeToken }),
    confirmHash: hashToken(token),
    confirmUntil: new Date(now.getTime() + confirmMs),
    unsubscribeHash: hashToken(unsubscribeToken),
  };
  const digest =
    accountId === null
      ? await insertList(database, { ...pending, addressHash: listHashes(keys, address)[0] })
      : await insertOwned(database, keys, { digest: { ...pending, accountId }, address });
  const { origin } = settings;
  const messageId = `confirm.${id}@${new URL(origin).hostname}`;
  const sender =
    accountId === null
      ? { subject: clientSubject(clientAddress(), now), name: "your network" }
      : { subject: `account:${accountId}`, name: "your account" };
  try {
    await countMail(database, { sender, address, keys, now });
    const vendors =
      accountId === null ? (await findVendorNames(database, stored.filterVendors)).map(({ name }) => name) : null;
    const mail = confirmationMail({ origin, frequency, vendors, token, messageId, to: address });
    await sendNow(settings, mail, tools.mailer);
  } catch (error) {
    await deleteOwned(database, accountId, id);
    throw error;
  }
  log.info({ digestId: id }, "sent the confirmation of a digest");
  return { digest: toDigest(keys, digest), ...unknown };
}

/** Returns the digests of the calling key's account, newest first. */
export async function listDigests(
  { caller, database }: ReadContext,
  _input: unknown,
  tools: DigestTools = {},
): Promise<DigestList> {
  const { keys } = requireTools(tools);
  const digests = await findDigests(database, accountOf(caller), maxDigestCount);
  return {
    _meta: { count: digests.length, limit: maxDigestCount },
    digests: digests.map((one) => toDigest(keys, one)),
  };
}

type ChangeInput = { params: { id: string }; body: z.output<typeof changeDigestBodySchema> };

/**
 * Changes the frequency or the filters of a digest of the account; filters apply to changes that are reported from then on.
 * Throws AppError not_found, bad_request for a filter on an unknown vendor, and conflict if the digest is disabled.
 */
export async function changeDigest(
  { caller, clock, database }: CallContext,
  { params: { id }, body: { frequency, filters } }: ChangeInput,
  tools: DigestTools = {},
): Promise<DigestAnswer> {
  const { keys } = requireTools(tools);
  const accountId = accountOf(caller);
  const before = await findDigest(database, accountId, id);
  if (!before) throw digestNotFound(id);
  const at = clock.now();
  const change = {
    ...(filters !== undefined && (await readFilters({ caller, database, clock }, filters ?? {}))),
    ...(frequency && frequency !== before.frequency && { frequency, nextDueAt: firstDueAt(frequency, at) }),
  };
  const unknown = await tellUnknownModels({ database, clock }, filters);
  const changed = await updateDigest(database, { accountId, id }, { ...change, at });
  if (changed) return { digest: toDigest(keys, changed), ...unknown };
  throw new AppError("conflict", `The digest ${id} is disabled. Delete it and create a new one.`);
}

/** Deletes a digest of the calling key's account with its address. Throws AppError not_found. */
export async function deleteDigest(
  { caller, database }: ReadContext,
  { params: { id } }: { params: { id: string } },
  tools: DigestTools = {},
): Promise<DigestDeletion> {
  requireTools(tools);
  if (!(await deleteOwned(database, accountOf(caller), id))) throw digestNotFound(id);
  return { deleted: true, id };
}
