import { streamReplay } from "#lib/http/replay-verb";
import { handle, routes } from "#lib/http/route";
import { streamReplayEndpoint } from "#lib/replay/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(streamReplayEndpoint, streamReplay));
