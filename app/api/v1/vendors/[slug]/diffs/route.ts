import { handle, routes } from "#lib/server/http/route";
import { listDiffs, listDiffsEndpoint } from "#lib/tracking/diffs/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(listDiffsEndpoint, listDiffs));
