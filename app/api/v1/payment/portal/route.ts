import { handle, routes } from "#lib/http/route";
import { openPortal, openPortalEndpoint } from "#lib/purchases/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(openPortalEndpoint, openPortal));
