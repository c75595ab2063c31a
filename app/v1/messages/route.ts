import { createMessageEndpoint } from "#lib/replay/playback/index";
import { createMessage } from "#lib/server/http/drop-in-verb";
import { handle, routes } from "#lib/server/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(createMessageEndpoint, createMessage));
