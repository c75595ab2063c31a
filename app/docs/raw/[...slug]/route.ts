import { findPage } from "#lib/content/index";
import { textReply } from "#lib/http/reply";
import { toResponse } from "#lib/http/to-response";
import { unmatched } from "#lib/http/unmatched";

export const dynamic = "force-dynamic";

/** A page's markdown; `/docs/<page>.md` is rewritten to this route. */
export async function GET(request: Request, { params }: { params: Promise<{ slug: string[] }> }): Promise<Response> {
  const { slug } = await params;
  const page = await findPage(slug.join("/").replace(/^index$/, ""));
  if (!page) return unmatched(request);
  const text = `# ${page.title}\n\n${page.description}\n\n${page.markdown}\n`;
  return toResponse(textReply(text, "text/markdown; charset=utf-8", { "Access-Control-Allow-Origin": "*" }));
}
