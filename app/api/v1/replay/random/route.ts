import { redirectReply } from "#lib/http/reply";
import { handle, routes } from "#lib/http/route";
import { pickRandomReplay, randomReplayEndpoint } from "#lib/replay/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(randomReplayEndpoint, async (context) => redirectReply(await pickRandomReplay(context))),
);
