import { getPageContext } from "#app/_components/page-context";
import { findPage, pageMarkdown, pagePath } from "#lib/discovery/content/index";
import { AppError } from "#lib/platform/errors";
import { refuse, tapedeckErrors, textReply, toResponse, withETag } from "#lib/server/http/reply";

export const dynamic = "force-dynamic";

/** A page's markdown; `/docs/<page>.md` is rewritten to this route. */
export async function GET(request: Request, { params }: { params: Promise<{ slug: string[] }> }): Promise<Response> {
  const { slug } = await params;
  const page = await findPage(slug.join("/").replace(/^index$/, ""));
  if (!page) return toResponse(refuse(new AppError("not_found", tapedeckErrors.notFound)), false);
  const reply = textReply(pageMarkdown(page, await getPageContext()), "text/markdown; charset=utf-8", {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Link",
    "Cache-Control": "public, max-age=0, must-revalidate",
    Link: `<${pagePath(page)}>; rel="canonical", </llms.txt>; rel="describedby"`,
    "X-Content-Type-Options": "nosniff",
  });
  const { headers } = request;
  const [ifNoneMatch, ifModifiedSince] = [headers.get("if-none-match"), headers.get("if-modified-since")];
  return toResponse(withETag(reply, { ifNoneMatch, ifModifiedSince }), false);
}
