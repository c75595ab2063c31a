import { AppError } from "#lib/platform/errors";
import type { Catalogue } from "#lib/replay/cassettes/index";
import { framingOf, providerRequestId } from "#lib/replay/providers/index";
import { applyFaults, delayResponse } from "./answer-faults";
import { openError, parseFaults } from "./faults";
import { openReplay, type Replay, requireRecording } from "./open-replay";
import type { ReplayParams, ReplayQuery } from "./schemas";

type ReplayRequest = { params: ReplayParams; query: ReplayQuery; header: (name: string) => string | null };

/**
 * Opens the replay that a request to the replay endpoint asks for. What is resumed has no faults, so that a client that
 * reconnects gets the rest. Throws AppError: `not_found`, `bad_request`, `service_unavailable`.
 */
export async function openRequestedReplay(
  context: { catalogue: Catalogue; requestId: string },
  { params, query, header }: ReplayRequest,
): Promise<Replay> {
  const recording = await requireRecording(context, `${params.vertical}/${params.cookbook}`);
  const { provider } = recording;
  const faults = parseFaults(query.fault ?? null, provider, "fault");
  if (query.fault !== undefined && query.from !== undefined)
    throw new AppError("bad_request", "fault cannot be combined with from: what is resumed has no faults.");
  const lastEventId = header("last-event-id");
  const replay = openReplay(recording, { query, lastEventId });
  const isResumed = query.ids && lastEventId && framingOf(recording.headers["content-type"]) === "sse";
  if (isResumed) return replay;
  if (faults.error) return openError(provider, faults.error, context.requestId);
  const asking = { provider, asker: "request", requestId: providerRequestId(context.requestId) } as const;
  const faulty = applyFaults(replay, faults, asking);
  await delayResponse(faults);
  return faulty;
}
