import { handle, routes } from "#lib/server/http/route";
import { searchVendors, searchVendorsEndpoint } from "#lib/tracking/vendors/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(searchVendorsEndpoint, searchVendors));
