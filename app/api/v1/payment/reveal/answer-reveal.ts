import { isFormBody, parseRevealRequest, type RevealedKey, revealKey } from "#lib/accounts/purchases/index";
import { AppError } from "#lib/platform/errors";
import type { RequestContext } from "#lib/server/http/context";
import { jsonReply, type Reply } from "#lib/server/http/reply";
import { pageReply } from "../../standalone-page";
import { keyPage, refusalPage } from "./reveal-page";

type Input = { rawBody: Uint8Array; header: (name: string) => string | null };

/** The answer contains the key, and the URL of the previous page the session's id: neither may leak. */
const privateHeaders = { "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex" };

async function reveal(context: RequestContext, { rawBody, header }: Input, isForm: boolean): Promise<RevealedKey> {
  const { session_id: sessionId } = parseRevealRequest(rawBody, isForm);
  return revealKey(context, { sessionId, cookieHeader: header("cookie") });
}

/** Reveals a key: returns JSON for a JSON request, and an HTML page for a form, errors included. */
export async function answerReveal(context: RequestContext, input: Input): Promise<Reply> {
  const isForm = isFormBody(input.header);
  if (!isForm) return jsonReply(await reveal(context, input, isForm), 200, privateHeaders);
  const { display_name: siteName } = context.site;
  try {
    return pageReply(siteName, keyPage(await reveal(context, input, isForm)));
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return pageReply(siteName, refusalPage(error.message), error.status);
  }
}
