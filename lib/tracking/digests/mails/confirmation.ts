import { linkMail, type Mail } from "#lib/platform/mail/index";
import type { DigestFrequency } from "../schemas";

/** How often a digest is sent, as the end of a sentence. */
export const frequencyTexts: Readonly<Record<DigestFrequency, string>> = {
  each: "soon after each change, at most one every ten minutes",
  daily: "daily at 07:00 UTC",
  weekly: "on Mondays at 07:00 UTC",
};

type Confirmation = { origin: string; frequency: DigestFrequency; token: string; messageId: string; to: string };

/** Returns the mail that asks for the confirmation of an address. */
export function confirmationMail({ origin, frequency, token, messageId, to }: Confirmation): Mail {
  const { host } = new URL(origin);
  return linkMail({
    to,
    messageId,
    subject: `Confirm mails about changes from ${host}`,
    title: "Confirm your address",
    what: `Somebody with an API key of ${host} asked to send you changes in vendors' llms.txt files, ${frequencyTexts[frequency]}.`,
    url: `${origin}/api/v1/digests/confirm?token=${token}`,
    label: "Confirm",
    note: "The link is valid for 24 hours. If this was not you, do nothing: without your confirmation you get no changes.",
  });
}
