import type { InputOf } from "#lib/contract/endpoint";
import { openReplay, type streamReplayEndpoint } from "#lib/replay/playback/index";
import type { RequestContext } from "./context";
import { emptyReply, type Reply, replayReply } from "./reply";

/** The replay endpoint's binding, shared by its two adapters: the route handler and the Node server. */
export async function streamReplay(
  context: RequestContext,
  { params, query, header }: InputOf<typeof streamReplayEndpoint>,
): Promise<Reply> {
  const id = `${params.vertical}/${params.cookbook}`;
  const replay = await openReplay(context, { id, query, lastEventId: header("last-event-id") });
  return replay.status === 204 ? emptyReply(204, { "Cache-Control": "no-store" }) : replayReply(replay);
}
