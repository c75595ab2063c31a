import { getSecurityTxtEndpoint, securityTxt } from "#lib/discovery/content/index";
import { textReply } from "#lib/server/http/reply";
import { handle, routes } from "#lib/server/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getSecurityTxtEndpoint, (context) => textReply(securityTxt(context), "text/plain; charset=utf-8")),
);
