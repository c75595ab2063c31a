import { isFormBody, parseRevealRequest, type RevealedKey, revealKey } from "#lib/accounts/purchases/index";
import { AppError } from "#lib/platform/errors";
import type { RequestContext } from "#lib/server/http/context";
import { jsonReply, type Reply } from "#lib/server/http/reply";
import { keyPage, type PageTexts, refusalPage } from "./reveal-page";

type Input = { rawBody: Uint8Array; header: (name: string) => string | null };

/** The URL of the previous page contains the session's id, and this page contains the key: neither may leak. */
const privateHeaders = { "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex" };
const pageHeaders = {
  ...privateHeaders,
  "Cache-Control": "no-store",
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

function pageReply(text: string, status: number): Reply {
  return { status, headers: pageHeaders, body: { kind: "text", text } };
}

async function reveal(context: RequestContext, { rawBody, header }: Input, isForm: boolean): Promise<RevealedKey> {
  const { session_id: sessionId } = parseRevealRequest(rawBody, isForm);
  return revealKey(context, { sessionId, cookieHeader: header("cookie") });
}

/** Reveals a key: returns JSON for a JSON request, and an HTML page for a form, errors included. */
export async function answerReveal(context: RequestContext, input: Input): Promise<Reply> {
  const isForm = isFormBody(input.header);
  if (!isForm) return jsonReply(await reveal(context, input, isForm), 200, privateHeaders);
  const texts: PageTexts = { siteName: context.site.display_name };
  try {
    return pageReply(keyPage(texts, await reveal(context, input, isForm)), 200);
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return pageReply(refusalPage(texts, error.message), error.status);
  }
}
