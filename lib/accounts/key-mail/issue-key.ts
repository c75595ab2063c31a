import { createFurtherKey, type IssuedKey } from "#lib/accounts/keys/index";
import { clientSubject, countMail } from "#lib/accounts/limits/index";
import type { AccountTier } from "#lib/accounts/plans/index";
import { config } from "#lib/platform/config";
import type { Context } from "#lib/platform/context";
import { type EncryptionKeys, requireEncryptionKeys } from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import { hashToken, newToken } from "#lib/platform/link-token";
import { linkMail, type Mailer, type MailSettings, requireMailSettings, sendNow } from "#lib/platform/mail/index";
import { dayMs } from "#lib/platform/time";
import { mailboxHashes } from "./mailbox";
import { type KeyMail, keyFormSchema } from "./schemas";
import {
  dropLink,
  findAccounts,
  findLink,
  insertFreeAccount,
  putLink,
  revokeKeys,
  setMailbox,
  takeLink,
} from "./store";

type LinkContext = Omit<Context, "ids">;

/** What the operator configured, unless a test passes it. */
type KeyMailTools = { settings?: MailSettings; keys?: EncryptionKeys; mailer?: Mailer };

/** Whether addresses without an account get a key. */
export const isSignUpOpen = (): boolean => config().OPEN_SIGN_UP === "on";

/** How long a link is valid. */
const linkMs = dayMs;

function keyMail(origin: string, to: string, token: string) {
  const { host } = new URL(origin);
  return linkMail({
    to,
    messageId: `key.${hashToken(token).slice(0, 32)}@${new URL(origin).hostname}`,
    subject: `Your API key of ${host}`,
    title: "Get your key",
    what: `Somebody asked for an API key of ${host} for this address. If the address has an account, the link issues a new key for it${isSignUpOpen() ? "; else it issues a key of the free tier" : ""}.`,
    url: `${origin}/api/v1/keys/mail/link?token=${token}`,
    label: "Get the key",
    note: "The link is valid for 24 hours and works once. If this was not you, do nothing: without your click nothing changes.",
  });
}

/**
 * Mails a link that issues a key of the account of a mailbox, or of a new one. Looks for no account, so that neither the
 * answer nor its time tells whether there is one. Throws AppError service_unavailable if mail or encryption is not
 * configured or the mail cannot be sent, bad_request for an address that the mail server refuses, and rate_limited.
 */
export async function requestKey(
  { database, clock, log, clientAddress }: LinkContext & { clientAddress: () => string | null },
  { body: { email: address } }: { body: { email: string } },
  { settings = requireMailSettings(), keys = requireEncryptionKeys(), mailer }: KeyMailTools = {},
): Promise<KeyMail> {
  const now = clock.now();
  const sender = { subject: clientSubject(clientAddress(), now), name: "your network" };
  await countMail(database, { sender, address, keys, now });
  const [mailboxHash, ...olderHashes] = mailboxHashes(keys, address);
  const token = newToken();
  const tokenHash = hashToken(token);
  const expiresAt = new Date(now.getTime() + linkMs);
  await putLink(database, { mailboxHash, olderHashes, tokenHash, expiresAt });
  try {
    await sendNow(settings, keyMail(settings.origin, address, token), mailer);
  } catch (error) {
    await dropLink(database, tokenHash);
    throw error;
  }
  log.info("sent a link that issues a key");
  const note = "A mail with a link is on its way. Its page shows your key, once.";
  return { note, expires_at: expiresAt.toISOString() };
}

const linkInvalid = () =>
  new AppError(
    "not_found",
    "This link is not valid: it was used, it is older than 24 hours, or a later mail has another one. Ask for another mail.",
  );

const signUpClosed = () =>
  new AppError("conflict", "This address has no account, and this server gives no keys to new addresses.");

type LinkInput = { query: { token: string } };

/** An account as the page of a link shows it; `lastFour` is the end of its latest key. */
export type LinkedAccount = { id: string; tier: AccountTier; createdAt: Date; lastFour: string | null };

/** Returns the accounts of the mailbox that got a link, and changes nothing. Throws AppError not_found, and conflict if none may be added. */
export async function getKeyLink(
  { database, clock }: LinkContext,
  { query: { token } }: LinkInput,
): Promise<{ accounts: LinkedAccount[] }> {
  const link = await findLink(database, hashToken(token), clock.now());
  if (!link) throw linkInvalid();
  const accounts = await findAccounts(database, link);
  if (accounts.length === 0 && !isSignUpOpen()) throw signUpClosed();
  return {
    accounts: accounts.map(({ keys: [latest], ...account }) => ({ ...account, lastFour: latest?.lastFour ?? null })),
  };
}

function readForm(rawBody: Uint8Array) {
  const fields = Object.fromEntries(new URLSearchParams(new TextDecoder().decode(rawBody)));
  const { success, data } = keyFormSchema.safeParse(fields);
  if (success) return data;
  throw new AppError("bad_request", "A field of the form is invalid. Open the link of the mail again.");
}

/**
 * Uses up a link and issues a key of one of the mailbox's accounts, or of a new one of the free tier, in one transaction.
 * The key takes over the limit of the account's latest one, with its request count and webhooks. Throws AppError not_found,
 * bad_request for an account of another mailbox, and conflict if it has none and none may be added.
 */
export async function issueKey(
  { database, clock, ids, log }: Context,
  { query: { token }, rawBody }: LinkInput & { rawBody: Uint8Array },
): Promise<IssuedKey> {
  const { account: chosenId, keep_keys: keepsKeys } = readForm(rawBody);
  const now = clock.now();
  const issued = await database.$transaction(async (transaction) => {
    const link = await takeLink(transaction, hashToken(token), now);
    if (!link) throw linkInvalid();
    const accounts = await findAccounts(transaction, link);
    const account = chosenId === undefined ? accounts[0] : accounts.find(({ id }) => id === chosenId);
    if (chosenId !== undefined && !account) throw new AppError("bad_request", "This account has another address.");
    const accountId = account?.id ?? ids.next();
    if (!account && !isSignUpOpen()) throw signUpClosed();
    if (!account) await insertFreeAccount(transaction, accountId, link.mailboxHash);
    else await setMailbox(transaction, accountId, link.mailboxHash);
    if (!keepsKeys) await revokeKeys(transaction, accountId, now);
    const limitId = account?.keys[0]?.limitId;
    return createFurtherKey({ database: transaction, clock, ids }, { accountId, ...(limitId && { limitId }) });
  });
  const { accountId, id: keyId } = issued.stored;
  log.info({ accountId, keyId }, "issued a key by mail");
  return issued;
}
