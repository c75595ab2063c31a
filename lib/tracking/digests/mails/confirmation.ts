import type { Mail } from "#lib/platform/mail/index";
import type { DigestFrequency } from "../schemas";
import { element, layout, link } from "./layout";

/** How often a digest is sent, as the end of a sentence. */
export const frequencyTexts: Readonly<Record<DigestFrequency, string>> = {
  each: "soon after each change, at most one every ten minutes",
  daily: "daily at 07:00 UTC",
  weekly: "on Mondays at 07:00 UTC",
};

type Confirmation = { origin: string; frequency: DigestFrequency; token: string; messageId: string; to: string };

/** Returns the mail that asks for the confirmation of an address. It contains no text that a user wrote. */
export function confirmationMail({ origin, frequency, token, messageId, to }: Confirmation): Mail {
  const { host } = new URL(origin);
  const subject = `Confirm mails about changes from ${host}`;
  const url = `${origin}/api/v1/digests/confirm?token=${token}`;
  const what = `Somebody with an API key of ${host} asked to send you changes in vendors' llms.txt files, ${frequencyTexts[frequency]}.`;
  const ignore =
    "The link is valid for 24 hours. If this was not you, do nothing: without your confirmation you get no changes.";
  const text = `${what}\n\nTo confirm, open this page and press its button:\n${url}\n\n${ignore}\n`;
  const html = layout(
    "Confirm your address",
    `${element("p", "text", what.replaceAll("'", "&#39;"))}
${element("p", "text", link(url, "Confirm", "button"))}
${element("p", "foot", ignore)}`,
  );
  return { to, subject, text, html, messageId };
}
