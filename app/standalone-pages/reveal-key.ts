import { isFormBody, parseRevealRequest, revealKey } from "#lib/accounts/purchases/index";
import { jsonReply, type Reply } from "#lib/server/http/reply";
import type { ProductContext } from "#lib/server/products";
import { answerWithPage, keyPage } from "./standalone-page";

const footer = { href: "/docs/billing", label: "How keys and billing work" };

type Input = { rawBody: Uint8Array; header: (name: string) => string | null };

/** The answer contains the key, and the URL of the previous page the session's id: neither may leak. */
const privateHeaders = { "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex" };

/** Reveals a key: returns JSON for a JSON request, and an HTML page for a form, errors included. */
export async function answerReveal(context: ProductContext, { rawBody, header }: Input): Promise<Reply> {
  const isForm = isFormBody(header);
  const reveal = async () => {
    const { session_id: sessionId } = parseRevealRequest(rawBody, isForm);
    return revealKey(context, { sessionId, cookieHeader: header("cookie") });
  };
  if (!isForm) return jsonReply(await reveal(), 200, privateHeaders);
  return answerWithPage(context, footer, async () => keyPage(await reveal(), footer), "No key to show");
}
