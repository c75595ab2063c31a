import type { InputOf } from "#lib/contract/endpoint";
import { openRequestedReplay, type streamReplayEndpoint } from "#lib/replay/playback/index";
import type { RequestContext } from "./context";
import { type Reply, replayReply } from "./reply";

/** Binds the replay endpoint for both adapters: the route handler and the Node server. */
export async function streamReplay(
  context: RequestContext,
  input: InputOf<typeof streamReplayEndpoint>,
): Promise<Reply> {
  return replayReply(await openRequestedReplay(context, input));
}
