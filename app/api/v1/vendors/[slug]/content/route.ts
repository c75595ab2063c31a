import { handle, routes } from "#lib/server/http/route";
import { getContent, getContentEndpoint } from "#lib/tracking/snapshots/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(getContentEndpoint, getContent));
