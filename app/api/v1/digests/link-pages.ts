import { escapeMarkup } from "#lib/platform/escape-markup";
import type { LinkedDigest } from "#lib/tracking/digests/index";
import type { StandalonePage } from "../standalone-page";

const footer = { href: "/docs/email", label: "How e-mail digests work" };

const lead = (html: string) => `<p class="lead">${html}</p>`;

function describe({ address, frequencyText }: LinkedDigest): string {
  return `Changes in vendors’ files are mailed to <strong>${escapeMarkup(address)}</strong>: ${escapeMarkup(frequencyText)}.`;
}

/** Returns a form that sends the token of the link again. */
function button(action: string, token: string, label: string): string {
  const url = `/api/v1/digests/${action}?token=${encodeURIComponent(token)}`;
  return `<form method="post" action="${escapeMarkup(url)}"><button type="submit">${label}</button></form>`;
}

/** The page that asks whether an address wants a digest. */
export function confirmPage(digest: LinkedDigest, token: string): StandalonePage {
  const content = `${lead(`${describe(digest)} This starts when you confirm it.`)}
${button("confirm", token, "Confirm")}
<p>If you did not ask for this, close the page: nothing will be sent.</p>`;
  return { title: "Confirm your address", content, footer };
}

export function confirmedPage(digest: LinkedDigest): StandalonePage {
  const content = `${lead(describe(digest))}
<p>Each mail has a link that ends this.</p>`;
  return { title: "Your address is confirmed", content, footer };
}

/** The page of the link of a confirmation that was used. */
export function alreadyConfirmedPage(digest: LinkedDigest): StandalonePage {
  return { ...confirmedPage(digest), title: "Your address is already confirmed" };
}

/** The page that asks whether a digest should end. */
export function unsubscribePage(digest: LinkedDigest, token: string): StandalonePage {
  const content = `${lead(describe(digest))}
${button("unsubscribe", token, "Unsubscribe")}
<p>This deletes the address from this server.</p>`;
  return { title: "Unsubscribe", content, footer };
}

export const unsubscribedPage: StandalonePage = {
  title: "You are unsubscribed",
  content: lead("The digest and your address are deleted. A mail that was being sent may still arrive."),
  footer,
};

/** The page that says why a link does nothing. `reason` is HTML. */
export function invalidLinkPage(reason: string): StandalonePage {
  return { title: "This link is not valid", content: lead(reason), footer };
}
