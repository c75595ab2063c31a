import type { RevealedKey } from "#lib/accounts/purchases/index";
import { escapeMarkup } from "#lib/platform/escape-markup";
import type { StandalonePage } from "../../standalone-page";

const footer = { href: "/docs/billing", label: "How keys and billing work" };

/** The page that shows a key once. */
export function keyPage({ api_key: key, tier }: RevealedKey): StandalonePage {
  const content = `<p class="lead">Store your key now: this page can’t be shown again, and the key isn’t stored.</p>
<pre>${escapeMarkup(key)}</pre>
<p>Its tier is ${escapeMarkup(tier)}. Send it with each request: <code>Authorization: Bearer &lt;your key&gt;</code></p>`;
  return { title: "Your key", content, footer };
}

/** The page that says why there is no key to show. */
export function refusalPage(message: string): StandalonePage {
  return { title: "No key to show", content: `<p class="lead">${escapeMarkup(message)}</p>`, footer };
}
