import { createMessageEndpoint, replayMessage } from "#lib/replay/playback/index";
import { replayReply } from "#lib/server/http/reply";
import { handle, routes } from "#lib/server/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(createMessageEndpoint, async (context, { body, query, header }) =>
    replayReply(
      await replayMessage(context, { body, speed: query.speed, cassetteHeader: header("x-replay-cassette") }),
    ),
  ),
);
