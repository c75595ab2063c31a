import { openPortal, openPortalEndpoint } from "#lib/accounts/purchases/index";
import { handle, routes } from "#lib/server/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(openPortalEndpoint, openPortal));
