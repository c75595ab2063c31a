import { textReply } from "#lib/server/http/reply";
import { handle, routes } from "#lib/server/http/route";
import { getSandboxedContent, getSandboxedContentEndpoint } from "#lib/tracking/snapshots/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getSandboxedContentEndpoint, async (context, input) => {
    const { text, headers } = await getSandboxedContent(context, input);
    return textReply(text, "text/plain; charset=utf-8", headers);
  }),
);
