import { getDiff, getDiffEndpoint } from "#lib/diffs/index";
import { handle, routes } from "#lib/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(getDiffEndpoint, getDiff));
