import { getRobotsTxtEndpoint, robotsTxt } from "#lib/content/index";
import { textReply } from "#lib/http/reply";
import { handle, routes } from "#lib/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getRobotsTxtEndpoint, (context) => textReply(robotsTxt(context), "text/plain; charset=utf-8")),
);
