import { getFeedEndpoint, listFeed } from "#lib/feed/index";
import { handle, routes } from "#lib/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(getFeedEndpoint, listFeed));
