import { handle, routes } from "#lib/http/route";
import { getContent, getContentEndpoint } from "#lib/snapshots/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(getContentEndpoint, getContent));
