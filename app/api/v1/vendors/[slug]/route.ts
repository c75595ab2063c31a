import { handle, routes } from "#lib/server/http/route";
import { getVendor, getVendorEndpoint, removeCustomVendor, removeVendorEndpoint } from "#lib/tracking/vendors/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getVendorEndpoint, getVendor),
  handle(removeVendorEndpoint, removeCustomVendor),
);
