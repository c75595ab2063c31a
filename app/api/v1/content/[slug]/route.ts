import { textReply } from "#lib/http/reply";
import { handle, routes } from "#lib/http/route";
import { getSandboxedContent, getSandboxedContentEndpoint } from "#lib/snapshots/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getSandboxedContentEndpoint, async (context, input) => {
    const { text, headers } = await getSandboxedContent(context, input);
    return textReply(text, "text/plain; charset=utf-8", headers);
  }),
);
