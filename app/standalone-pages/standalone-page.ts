import { AppError } from "#lib/platform/errors";
import { escapeMarkup } from "#lib/platform/escape-markup";
import type { Reply } from "#lib/server/http/reply";
import type { ProductContext } from "#lib/server/products";

/** A page of an endpoint, outside of Next.js. `title` is text, `content` HTML. */
export type StandalonePage = { title: string; content: string; footer: { href: string; label: string } };

/** Styles from `app/globals.css`, copied because a route handler cannot link the built style sheet. */
const style = `
:root { color-scheme: light dark; --background: light-dark(#faf8f4, #12110e); --surface: light-dark(#fff, #1b1915);
  --ink: light-dark(#17150f, #f1ede3); --muted: light-dark(#6b665a, #a39c8c); --line: light-dark(#e4dfd3, #2e2a23);
  --line-strong: light-dark(#8f887a, #7d7565); --signal: light-dark(#c8401c, #ff7a50); --on-signal: light-dark(#fff, #12110e) }
* { box-sizing: border-box }
html { font: 15px/1.6 system-ui, sans-serif; background: var(--background); color: var(--ink) }
body { margin: 0 }
header { border-bottom: 1px solid var(--line) }
header a { display: inline-flex; gap: 12px; align-items: center; padding: 20px 0; font-weight: 600; text-decoration: none }
header path + path { stroke: var(--signal) }
header > *, main { max-width: 1168px; margin: 0 auto; padding: 0 24px }
main { display: grid; gap: 24px; padding-block: 56px 72px }
main > * { max-width: 68ch }
h1 { margin: 0; font-size: 36px; line-height: 1.15; letter-spacing: -0.02em; font-weight: 600; text-wrap: balance }
p { margin: 0 }
strong { overflow-wrap: anywhere }
.lead { font-size: 18px; color: var(--muted) }
.lead strong { color: var(--ink) }
form { display: grid; gap: 16px; justify-items: start }
label { display: flex; gap: 8px; align-items: baseline }
input { margin: 0 }
fieldset { display: grid; gap: 8px; margin: 0; padding: 12px 16px; border: 1px solid var(--line); border-radius: 6px }
button { min-height: 40px; padding: 8px 16px; font: inherit; font-weight: 600; color: var(--on-signal); background: var(--signal);
  border: 1px solid var(--signal); border-radius: 6px; cursor: pointer }
form + form button { color: var(--ink); background: none; border-color: var(--line-strong) }
pre { margin: 0; padding: 12px 16px; white-space: pre-wrap; overflow-wrap: anywhere; user-select: all;
  font: 15px/1.6 ui-monospace, monospace; background: var(--surface); border: 1px solid var(--line); border-radius: 6px }
code { font-family: ui-monospace, monospace; font-size: 13px; overflow-wrap: anywhere }
a { color: inherit; text-decoration-color: var(--signal); text-underline-offset: 3px }
:focus-visible { outline: 2px solid var(--signal); outline-offset: 2px }
@media (max-width: 480px) { header > *, main { padding-inline: 16px } main { padding-top: 32px } h1 { font-size: 30px } }
`;

const logo = '<path d="M2 9v3M6 9V4M10 9v5M18 9v7M22 9V5M26 9V6"/><path d="M14 17V1"/>';

/** The URL of the page or of the one before it contains a secret, which must not leak. */
const headers = {
  "Referrer-Policy": "no-referrer",
  "X-Robots-Tag": "noindex",
  "Cache-Control": "no-store",
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
};

/** Returns the reply with a page. Its forms can only be sent to this site. */
function pageReply(siteName: string, { title, content, footer }: StandalonePage, status = 200): Reply {
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${escapeMarkup(title)} · ${escapeMarkup(siteName)}</title>
<style>${style}</style>
</head>
<body>
<header><div><a href="/">
<svg aria-hidden="true" viewBox="0 0 28 18" width="28" height="18" stroke="currentColor" stroke-width="2">${logo}</svg>
${escapeMarkup(siteName)}</a></div></header>
<main>
<h1>${escapeMarkup(title)}</h1>
${content}
<p><a href="${escapeMarkup(footer.href)}">${escapeMarkup(footer.label)}</a></p>
</main>
</body>
</html>
`;
  return { status, headers, body: { kind: "text", text } };
}

/** Returns the first paragraph of a page. */
export const lead = (html: string) => `<p class="lead">${html}</p>`;

/** Answers with a page, also of an error that the client can mend; `refusal` is its title. Throws other errors. */
export async function answerWithPage(
  { site }: ProductContext,
  footer: StandalonePage["footer"],
  create: () => Promise<StandalonePage>,
  refusal?: string,
): Promise<Reply> {
  try {
    return pageReply(site.display_name, await create());
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    const title = refusal ?? (error.code === "conflict" ? "That is not possible" : "This link is not valid");
    const page = { title, content: lead(escapeMarkup(error.message)), footer };
    return pageReply(site.display_name, page, error.status);
  }
}

/** Returns the page that shows a key once. */
export function keyPage(
  { api_key: key, tier }: { api_key: string; tier: string },
  footer: StandalonePage["footer"],
): StandalonePage {
  const content = `${lead("Store your key now: this page can’t be shown again, and the key isn’t stored. One click selects it.")}
<pre>${escapeMarkup(key)}</pre>
<p>Its tier is ${escapeMarkup(tier)}. Send it with each request: <code>Authorization: Bearer &lt;your key&gt;</code></p>`;
  return { title: "Your key", content, footer };
}
