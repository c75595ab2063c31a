import { AppError } from "#lib/platform/errors";
import { escapeMarkup } from "#lib/platform/escape-markup";
import type { Reply } from "#lib/server/http/reply";
import type { ProductContext } from "#lib/server/products";

/** A page of an endpoint, outside of Next.js. `title` is text, `content` HTML. */
export type StandalonePage = { title: string; content: string; footer: { href: string; label: string } };

/** Styles from `app/globals.css`, copied because a route handler cannot link the built style sheet. */
const style = `
:root { color-scheme: light dark; --background: #faf8f4; --surface: #fff; --ink: #17150f; --muted: #6b665a;
  --line: #e4dfd3; --signal: #c8401c; --button: #b0361a; --on-button: #fff }
@media (prefers-color-scheme: dark) { :root { --background: #12110e; --surface: #1b1915; --ink: #f1ede3;
  --muted: #a39c8c; --line: #2e2a23; --signal: #ff7a50; --button: #ff7a50; --on-button: #12110e } }
* { box-sizing: border-box }
html { font: 16px/1.6 system-ui, sans-serif; background: var(--background); color: var(--ink) }
body { margin: 0 auto; max-width: 68ch; padding: 72px 24px }
main { display: grid; gap: 24px }
h1 { margin: 0; font-size: clamp(36px, 6vw, 56px); line-height: 1.15; letter-spacing: -0.02em; font-weight: 600;
  text-wrap: balance }
p { margin: 0 }
strong { overflow-wrap: anywhere }
.lead { font-size: 18px; color: var(--muted) }
.lead strong { color: var(--ink) }
form { display: grid; gap: 16px; justify-items: start }
label { display: flex; gap: 8px; align-items: baseline }
input { margin: 0 }
fieldset { display: grid; gap: 8px; margin: 0; padding: 12px 16px; border: 1px solid var(--line); border-radius: 6px }
form + form button { color: var(--ink); background: none; border-color: var(--line) }
button { padding: 12px 20px; font: inherit; font-weight: 600; color: var(--on-button); background: var(--button); border: 1px solid transparent;
  border-radius: 6px; cursor: pointer }
pre { margin: 0; padding: 12px 16px; white-space: pre-wrap; overflow-wrap: anywhere; user-select: all;
  font: 15px/1.6 ui-monospace, monospace; background: var(--surface); border: 1px solid var(--line); border-radius: 6px }
code { font-family: ui-monospace, monospace; font-size: 13px; overflow-wrap: anywhere }
a { color: inherit; text-decoration-color: var(--signal); text-underline-offset: 3px }
:focus-visible { outline: 2px solid var(--signal); outline-offset: 2px }
`;

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
  const content = `${lead("Store your key now: this page can’t be shown again, and the key isn’t stored.")}
<pre>${escapeMarkup(key)}</pre>
<p>Its tier is ${escapeMarkup(tier)}. Send it with each request: <code>Authorization: Bearer &lt;your key&gt;</code></p>`;
  return { title: "Your key", content, footer };
}
