import { handle, routes } from "#lib/http/route";
import { getFleet, getFleetEndpoint } from "#lib/sites/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(getFleetEndpoint, getFleet));
