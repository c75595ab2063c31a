import { getKey, getKeyEndpoint } from "#lib/accounts/keys/index";
import { handle, routes } from "#lib/server/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(getKeyEndpoint, getKey));
