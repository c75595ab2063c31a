import { escapeMarkup } from "#lib/platform/escape-markup";
import type { Reply } from "#lib/server/http/reply";
import type { ProductContext } from "#lib/server/products";
import {
  confirmDigest,
  getConfirmation,
  getUnsubscription,
  joinNames,
  type LinkedDigest,
  unsubscribe,
} from "#lib/tracking/digests/index";
import { answerWithPage, lead, type StandalonePage } from "./standalone-page";

const footer = { href: "/docs/email", label: "How e-mail digests work" };

function describe({ address, frequencyText, vendors, hasAccount }: LinkedDigest): string {
  const what = hasAccount ? "in vendors’ files" : `of ${escapeMarkup(joinNames(vendors.map(({ name }) => name)))}`;
  return `Changes ${what} are mailed to <strong>${escapeMarkup(address)}</strong>: ${escapeMarkup(frequencyText)}.`;
}

/** Returns a form that sends the token of the link again. */
function button(action: string, token: string, label: string, fields = ""): string {
  const url = `/api/v1/digests/${action}?token=${encodeURIComponent(token)}`;
  return `<form method="post" action="${escapeMarkup(url)}">${fields}<button type="submit">${label}</button></form>`;
}

/** The form that takes vendors off a list. */
function vendorsForm({ vendors }: LinkedDigest, token: string): string {
  const options = vendors.map(
    ({ slug, name }) =>
      `<label><input type="hidden" name="listed" value="${escapeMarkup(slug)}"><input type="checkbox" name="keep" value="${escapeMarkup(slug)}" checked> ${escapeMarkup(name)}</label>`,
  );
  const fields = `<fieldset><legend>Vendors that you follow</legend>${options.join("")}</fieldset>`;
  return button("unsubscribe", token, "Follow only these", fields);
}

/** The page that asks whether an address wants a digest. */
function confirmPage(digest: LinkedDigest, token: string): StandalonePage {
  const content = `${lead(`${describe(digest)} This starts when you confirm it.`)}
${button("confirm", token, "Confirm")}
<p>${digest.hasAccount ? "" : "If the address follows vendors already, these are added, and are mailed as often. "}If you did not ask for this, close the page: nothing will be sent.</p>`;
  return { title: "Confirm your address", content, footer };
}

function confirmedPage(digest: LinkedDigest, title: string): StandalonePage {
  const { listToken } = digest;
  const url = `/api/v1/digests/unsubscribe?token=${encodeURIComponent(listToken ?? "")}`;
  const how =
    listToken === null
      ? "Each mail has a link that ends this."
      : `<a href="${escapeMarkup(url)}">Change the list or end it</a>; each mail has this link too.`;
  return { title, content: `${lead(describe(digest))}\n<p>${how}</p>`, footer };
}

/** The page that asks whether a digest should end. */
function unsubscribePage(digest: LinkedDigest, token: string): StandalonePage {
  const isList = digest.listToken !== null && digest.vendors.length > 1;
  const content = `${lead(describe(digest))}
${isList ? `${vendorsForm(digest, token)}\n` : ""}${button("unsubscribe", token, "Unsubscribe")}
<p>To unsubscribe deletes the address from this server.</p>`;
  return { title: isList ? "Change your list or unsubscribe" : "Unsubscribe", content, footer };
}

const unsubscribedPage: StandalonePage = {
  title: "You are unsubscribed",
  content: lead("Your address is deleted from this server. A mail that was being sent may still arrive."),
  footer,
};

type Input = { query: { token: string } };
type PostInput = Input & { rawBody: Uint8Array };

export function showConfirmation(context: ProductContext, input: Input): Promise<Reply> {
  return answerWithPage(context, footer, async () => {
    const digest = await getConfirmation(context, input);
    if (digest.isConfirmed) return confirmedPage(digest, "Your address is already confirmed");
    return confirmPage(digest, input.query.token);
  });
}

export function confirm(context: ProductContext, input: Input): Promise<Reply> {
  return answerWithPage(context, footer, async () =>
    confirmedPage(await confirmDigest(context, input), "Your address is confirmed"),
  );
}

export function showUnsubscription(context: ProductContext, input: Input): Promise<Reply> {
  return answerWithPage(context, footer, async () =>
    unsubscribePage(await getUnsubscription(context, input), input.query.token),
  );
}

export function endDigest(context: ProductContext, input: PostInput): Promise<Reply> {
  return answerWithPage(context, footer, async () => {
    const list = await unsubscribe(context, input);
    return list ? confirmedPage(list, "Your list is changed") : unsubscribedPage;
  });
}
