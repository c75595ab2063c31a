import { linkMail, type Mail } from "#lib/platform/mail/index";
import type { DigestFrequency } from "../schemas";

/** How often a digest is sent, as the end of a sentence. */
export const frequencyTexts: Readonly<Record<DigestFrequency, string>> = {
  each: "soon after each change, at most one every ten minutes",
  daily: "daily at 07:00 UTC",
  weekly: "on Mondays at 07:00 UTC",
};

type Confirmation = {
  origin: string;
  frequency: DigestFrequency;
  /** Names of the vendors of a list without an account; null for an account's digest. */
  vendors: readonly string[] | null;
  token: string;
  messageId: string;
  to: string;
};

/** Most vendors that a text names. */
const maxNamedCount = 10;

/** Names the vendors of a list, as a part of a sentence. */
export function joinNames(names: readonly string[]): string {
  const more = names.length - maxNamedCount;
  const parts = more > 1 ? [...names.slice(0, maxNamedCount), `${more} more`] : names;
  return new Intl.ListFormat("en").format(parts);
}

/** Returns the mail that asks for the confirmation of an address. */
export function confirmationMail({ origin, frequency, vendors, token, messageId, to }: Confirmation): Mail {
  const { host } = new URL(origin);
  return linkMail({
    to,
    messageId,
    subject: `Confirm mails about changes from ${host}`,
    title: "Confirm your address",
    what: vendors
      ? `Somebody asked ${host} to send you the changes of ${joinNames(vendors)}, ${frequencyTexts[frequency]}.`
      : `Somebody with an API key of ${host} asked to send you changes in vendors' llms.txt files, ${frequencyTexts[frequency]}.`,
    url: `${origin}/api/v1/digests/confirm?token=${token}`,
    label: "Confirm",
    note: "The link is valid for 24 hours. If this was not you, do nothing: without your confirmation you get no changes.",
  });
}
