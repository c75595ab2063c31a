import { findPage, pageMarkdown, pagePath } from "#lib/discovery/content/index";
import { pageContext } from "#lib/server/http/context";
import { textReply, withETag } from "#lib/server/http/reply";
import { toResponse, unmatched } from "#lib/server/http/route";

export const dynamic = "force-dynamic";

/** A page's markdown; `/docs/<page>.md` is rewritten to this route. */
export async function GET(request: Request, { params }: { params: Promise<{ slug: string[] }> }): Promise<Response> {
  const { slug } = await params;
  const page = await findPage(slug.join("/").replace(/^index$/, ""));
  if (!page) return unmatched(request);
  const reply = textReply(pageMarkdown(page, pageContext(request.headers)), "text/markdown; charset=utf-8", {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Link",
    "Cache-Control": "public, max-age=0, must-revalidate",
    Link: `<${pagePath(page)}>; rel="canonical", </llms.txt>; rel="describedby"`,
    "X-Content-Type-Options": "nosniff",
  });
  const { headers } = request;
  const [ifNoneMatch, ifModifiedSince] = [headers.get("if-none-match"), headers.get("if-modified-since")];
  return toResponse(withETag(reply, { ifNoneMatch, ifModifiedSince }));
}
