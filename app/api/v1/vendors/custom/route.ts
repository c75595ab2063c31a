import { handle, routes } from "#lib/server/http/route";
import { listCustomVendors, listCustomVendorsEndpoint } from "#lib/tracking/vendors/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(listCustomVendorsEndpoint, listCustomVendors),
);
