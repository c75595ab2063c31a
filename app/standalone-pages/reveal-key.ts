import { isFormBody, parseRevealRequest, type RevealedKey, revealKey } from "#lib/accounts/purchases/index";
import { AppError } from "#lib/platform/errors";
import { escapeMarkup } from "#lib/platform/escape-markup";
import { jsonReply, type Reply } from "#lib/server/http/reply";
import type { ProductContext } from "#lib/server/products";
import { keyPage, pageReply, type StandalonePage } from "./standalone-page";

const footer = { href: "/docs/billing", label: "How keys and billing work" };

/** The page that says why there is no key to show. */
function refusalPage(message: string): StandalonePage {
  return { title: "No key to show", content: `<p class="lead">${escapeMarkup(message)}</p>`, footer };
}

type Input = { rawBody: Uint8Array; header: (name: string) => string | null };

/** The answer contains the key, and the URL of the previous page the session's id: neither may leak. */
const privateHeaders = { "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex" };

async function reveal(context: ProductContext, { rawBody, header }: Input, isForm: boolean): Promise<RevealedKey> {
  const { session_id: sessionId } = parseRevealRequest(rawBody, isForm);
  return revealKey(context, { sessionId, cookieHeader: header("cookie") });
}

/** Reveals a key: returns JSON for a JSON request, and an HTML page for a form, errors included. */
export async function answerReveal(context: ProductContext, input: Input): Promise<Reply> {
  const isForm = isFormBody(input.header);
  if (!isForm) return jsonReply(await reveal(context, input, isForm), 200, privateHeaders);
  const { display_name: siteName } = context.site;
  try {
    return pageReply(siteName, keyPage(await reveal(context, input, isForm), footer));
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return pageReply(siteName, refusalPage(error.message), error.status);
  }
}
