import { escapeMarkup } from "#lib/platform/escape-markup";
import { element, layout, link, type Mail } from "#lib/platform/mail/index";
import type { Report } from "#prisma/generated/client";
import type { DigestFrequency } from "../schemas";
import { frequencyTexts } from "./confirmation";

/** Line ends and other control characters, and characters that change the direction of the text around them. */
const controls = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Returns a text on one line, without characters that change what surrounds it, with at most `maxLength` code points, cut after a word. */
function cleanText(text: string, maxLength: number): string {
  const points = [...text.replace(controls, " ").trim()];
  if (points.length <= maxLength) return points.join("");
  const cut = points.slice(0, maxLength - 1).join("");
  // A word is cut only where it is longer than a third of the text.
  const words = /\s/.test(points[maxLength - 1] ?? "") ? cut : cut.replace(/\s+\S*$/, "");
  return `${words.length * 3 > cut.length * 2 ? words : cut}…`;
}

/** Most changes that a mail describes: the most significant ones. */
export const maxMailChangeCount = 20;
const maxNameLength = 80;
const maxSummaryLength = 600;
const maxSubjectLength = 140;
/** Most vendors in a subject. */
const maxSubjectVendorCount = 3;

/** A change as a mail describes it. Its texts are from the vendor or written about it: they are not trusted. */
export type MailChange = Pick<Report, "summary" | "significance" | "categories" | "diffId"> & {
  vendor: { name: string; slug: string; isOwn: boolean };
};

export type DigestContent = {
  origin: string;
  frequency: DigestFrequency;
  hasAccount: boolean;
  /** The most significant ones first, at most `maxMailChangeCount`. */
  changes: readonly MailChange[];
  /** Of all changes, at least as many as in `changes`. */
  total: number;
  unsubscribeToken: string;
  messageId: string;
  to: string;
};

const countChanges = (count: number) => `${count} ${count === 1 ? "change" : "changes"}`;

const vendorName = ({ vendor }: MailChange) => cleanText(vendor.name, maxNameLength);

function subjectOf({ changes, total }: DigestContent): string {
  const [first] = changes;
  if (first && total === 1) return cleanText(`${vendorName(first)}: ${first.summary}`, maxSubjectLength);
  const names = [...new Set(changes.map(vendorName))];
  const isComplete = names.length <= maxSubjectVendorCount && total === changes.length;
  const shown = names.slice(0, maxSubjectVendorCount).join(", ");
  return cleanText(`${countChanges(total)}: ${shown}${isComplete ? "" : " and more"}`, maxSubjectLength);
}

type Reference = { url: string; label: string; api?: { label: string; request: string } };

/** A tab that a mail opens has no key to show the pages of an own vendor with, so that its diff is linked in the API. */
function referTo(origin: string, { vendor, diffId }: MailChange): Reference {
  if (vendor.isOwn) {
    const page = { url: `${origin}/key`, label: "Your own vendors" };
    const label = `Read the diff ${diffId} with your API key`;
    return diffId === null
      ? page
      : { ...page, api: { label, request: `GET ${origin}/api/v1/vendors/${vendor.slug}/diffs` } };
  }
  const page = `${origin}/vendors/${vendor.slug}`;
  return diffId === null
    ? { url: page, label: "See the vendor" }
    : { url: `${page}/diffs/${diffId}`, label: "See the diff" };
}

const noteOf = ({ significance, categories }: MailChange) =>
  [`Significance ${significance} of 5`, ...categories].join(" · ");

/** Returns the mail of a digest: its most significant changes, and how many more there are. */
export function digestMail(content: DigestContent): Mail & { unsubscribeUrl: string } {
  const { origin, frequency, hasAccount, changes, total, unsubscribeToken, messageId, to } = content;
  const unsubscribeUrl = `${origin}/api/v1/digests/unsubscribe?token=${unsubscribeToken}`;
  const subject = subjectOf(content);
  const more = total - changes.length;
  const moreText = `and ${more} more ${more === 1 ? "change" : "changes"}, of lower or equal significance`;
  const { host } = new URL(origin);
  const why = `You get this ${frequencyTexts[frequency]}, because this address ${hasAccount ? `was confirmed for an API key of ${host}` : `follows vendors at ${host}`}.`;
  const unsubscribeLabel = hasAccount ? "Unsubscribe" : "Change the list or unsubscribe";
  const described = changes.map((change) => ({
    name: vendorName(change),
    note: noteOf(change),
    ...referTo(origin, change),
    summary: cleanText(change.summary, maxSummaryLength),
  }));
  const text = [
    ...described.map(({ name, note, summary, label, url, api }) => {
      const request = api ? `${api.label}: ${api.request}\n` : "";
      return `${name}\n${note}\n${summary}\n${request}${label}: ${url}\n`;
    }),
    ...(more > 0 ? [`${moreText}: ${origin}/changes\n`] : []),
    `--\n${why}\n${unsubscribeLabel}: ${unsubscribeUrl}\n`,
  ].join("\n");
  const items = described.map(({ name, note, summary, label, url, api }) => {
    const request = api && `${api.label}: <code>${escapeMarkup(api.request)}</code>`;
    const parts = [
      ...[element("h2", "name", escapeMarkup(name)), element("p", "note", escapeMarkup(note))],
      ...[element("p", "text", escapeMarkup(summary)), ...(request ? [element("p", "text", request)] : [])],
      link(url, label),
    ];
    return element("div", "item", parts.join(""));
  });
  const foot = `${escapeMarkup(why)} ${link(unsubscribeUrl, unsubscribeLabel)}`;
  const html = layout(
    countChanges(total),
    [
      ...items,
      ...(more > 0
        ? [element("p", "text", `${escapeMarkup(moreText)}: ${link(`${origin}/changes`, "all changes")}`)]
        : []),
      element("p", "foot", foot),
    ].join("\n"),
  );
  return { to, subject, text, html, messageId, unsubscribeUrl };
}
