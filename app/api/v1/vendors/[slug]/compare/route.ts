import { handle, routes } from "#lib/server/http/route";
import { compareSnapshots, compareSnapshotsEndpoint } from "#lib/tracking/history/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(compareSnapshotsEndpoint, compareSnapshots),
);
