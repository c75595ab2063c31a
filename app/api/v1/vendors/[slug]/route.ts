import { handle, routes } from "#lib/http/route";
import { getVendor, getVendorEndpoint } from "#lib/vendors/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(getVendorEndpoint, getVendor));
