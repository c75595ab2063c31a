import { jsonReply } from "#lib/server/http/reply";
import { handle, routes } from "#lib/server/http/route";
import { getSnapshot, getSnapshotEndpoint } from "#lib/tracking/history/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getSnapshotEndpoint, async (context, input) => {
    const { answer, headers } = await getSnapshot(context, input);
    return jsonReply(answer, 200, headers);
  }),
);
