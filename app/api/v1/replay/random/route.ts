import { pickRandomReplay, randomReplayEndpoint } from "#lib/replay/playback/index";
import { redirectReply } from "#lib/server/http/reply";
import { handle, routes } from "#lib/server/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(randomReplayEndpoint, async (context) => redirectReply(await pickRandomReplay(context))),
);
