import { streamReplayEndpoint } from "#lib/replay/playback/index";
import { streamReplay } from "#lib/server/http/replay-verb";
import { handle, routes } from "#lib/server/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(streamReplayEndpoint, streamReplay));
