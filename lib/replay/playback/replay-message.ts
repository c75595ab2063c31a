import { AppError } from "#lib/platform/errors";
import { type Catalogue, cassetteIdSchema, type Recording, readRecordingEvents } from "#lib/replay/cassettes/index";
import { anthropic } from "#lib/replay/providers/index";
import { openRecording, type Replay, requireRecording } from "./open-replay";
import type { MessagesBody } from "./schemas";

type ChoiceContext = {
  /** Returns the id of the site's cassette with the nearest prompt, or undefined if the site has no cassettes. */
  nearestCassette: (prompt: string) => Promise<string | undefined>;
};
type MessageContext = ChoiceContext & { catalogue: Catalogue };
type MessageInput = { body: MessagesBody; speed?: number; cassetteHeader: string | null };

const modelPrefix = "cassette:";

function checkId(id: string, source: string): string {
  if (cassetteIdSchema.safeParse(id).success) return id;
  throw new AppError("not_found", `${source}: "${id.slice(0, 130)}" is not a cassette id (<vertical>/<slug>).`);
}

/** Returns the id of the cassette to replay: from the model name, else from the header, else the nearest prompt. */
export async function chooseCassette(
  { nearestCassette }: ChoiceContext,
  { body, cassetteHeader }: { body: MessagesBody; cassetteHeader: string | null },
): Promise<string> {
  if (body.model.startsWith(modelPrefix)) return checkId(body.model.slice(modelPrefix.length), "model");
  if (cassetteHeader) return checkId(cassetteHeader, "x-replay-cassette");
  const nearest = await nearestCassette(
    anthropic.readQuestion({ method: "POST", path: "/v1/messages", query: "", body }).prompt,
  );
  if (nearest !== undefined) return nearest;
  throw new AppError(
    "not_found",
    "This site has no cassettes. Name one of another site as model: cassette:<vertical>/<slug>.",
  );
}

function foldRecording(recording: Recording): { status: number; json: unknown } {
  const { provider } = recording;
  const { body, error } = provider.fold(readRecordingEvents(recording));
  return error ? { status: provider.statusOf(error), json: error } : { status: 200, json: body };
}

/** Returns the whole message as one frame, due at the end of the stream. */
function toWholeMessage(recording: Recording, replay: Replay): Replay {
  const { status, json } = foldRecording(recording);
  if (json === null || recording.end === "truncated") {
    throw new AppError(
      "internal_error",
      "This cassette's stream is truncated, so there is no complete message. Send stream: true instead.",
    );
  }
  const frame = Buffer.from(JSON.stringify(json));
  return {
    status,
    headers: { ...replay.headers, "Content-Type": "application/json" },
    schedule: { ...replay.schedule, frames: [frame], dueMs: recording.dueMs.slice(-1) },
  };
}

/**
 * Returns the replay for a Messages request: the cassette's stream, or its whole message if the request does not
 * stream. A cassette of an error response is returned as it is. Throws AppError.
 */
export async function replayMessage(
  context: MessageContext,
  { body, speed = 1, cassetteHeader }: MessageInput,
): Promise<Replay> {
  const id = await chooseCassette(context, { body, cassetteHeader });
  const recording = await requireRecording(context, id);
  const replay = openRecording(recording, speed);
  const requestId = recording.headers["request-id"];
  const response = body.stream || recording.status !== 200 ? replay : toWholeMessage(recording, replay);
  return { ...response, headers: { ...response.headers, ...(requestId ? { "Request-Id": requestId } : {}) } };
}
