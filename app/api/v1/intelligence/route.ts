import { handle, routes } from "#lib/server/http/route";
import { listReports, listReportsEndpoint } from "#lib/tracking/intelligence/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(listReportsEndpoint, listReports));
