import { handle, routes } from "#lib/server/http/route";
import { getFeedEndpoint, listFeed } from "#lib/tracking/feed/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(getFeedEndpoint, listFeed));
