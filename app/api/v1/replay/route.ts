import { handle, routes } from "#lib/http/route";
import { discoverReplay, discoverReplayEndpoint } from "#lib/replay/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(discoverReplayEndpoint, discoverReplay));
