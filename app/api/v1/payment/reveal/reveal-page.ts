import type { RevealedKey } from "#lib/accounts/purchases/index";

/** Site-specific texts of the page. */
export type PageTexts = { siteName: string };

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] as string);

/** Styles from `app/globals.css`, copied because a route handler cannot link the built style sheet. */
const style = `
:root { color-scheme: light dark; --background: #faf8f4; --surface: #fff; --ink: #17150f; --muted: #6b665a;
  --line: #e4dfd3; --signal: #c8401c }
@media (prefers-color-scheme: dark) { :root { --background: #12110e; --surface: #1b1915; --ink: #f1ede3;
  --muted: #a39c8c; --line: #2e2a23; --signal: #ff7a50 } }
* { box-sizing: border-box }
html { font: 16px/1.6 system-ui, sans-serif; background: var(--background); color: var(--ink) }
body { margin: 0 auto; max-width: 68ch; padding: 72px 24px }
main { display: grid; gap: 24px }
h1 { margin: 0; font-size: clamp(36px, 6vw, 56px); line-height: 1.15; letter-spacing: -0.02em; font-weight: 600;
  text-wrap: balance }
p { margin: 0 }
.lead { font-size: 18px; color: var(--muted) }
pre { margin: 0; padding: 12px 16px; white-space: pre-wrap; overflow-wrap: anywhere; user-select: all;
  font: 15px/1.6 ui-monospace, monospace; background: var(--surface); border: 1px solid var(--line); border-radius: 6px }
code { font-family: ui-monospace, monospace; font-size: 13px; overflow-wrap: anywhere }
a { color: inherit; text-decoration-color: var(--signal); text-underline-offset: 3px }
:focus-visible { outline: 2px solid var(--signal); outline-offset: 2px }
`;

function page({ siteName }: PageTexts, title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · ${escapeHtml(siteName)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
<p><a href="/docs/billing">How keys and billing work</a></p>
</main>
</body>
</html>
`;
}

/** Renders the page that shows a key once. */
export function keyPage(texts: PageTexts, { api_key: key, tier }: RevealedKey): string {
  const content = `<p class="lead">Store your key now: this page can’t be shown again, and the key isn’t stored.</p>
<pre>${escapeHtml(key)}</pre>
<p>Its tier is ${escapeHtml(tier)}. Send it with each request: <code>Authorization: Bearer &lt;your key&gt;</code></p>`;
  return page(texts, "Your key", content);
}

/** Renders the page that says why there is no key to show. */
export function refusalPage(texts: PageTexts, message: string): string {
  return page(texts, "No key to show", `<p class="lead">${escapeHtml(message)}</p>`);
}
