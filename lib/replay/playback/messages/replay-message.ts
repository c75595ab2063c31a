import { AppError } from "#lib/platform/errors";
import { type Catalogue, foldMessage, type Recording, readEvents, type Vertical } from "#lib/replay/cassettes/index";
import { openReplay, type Replay } from "../open-replay";
import { chooseCassette } from "./choose-cassette";
import type { MessagesBody } from "./schemas";

type MessageContext = { catalogue: Catalogue; site: { vertical: Vertical } };
type MessageInput = { body: MessagesBody; speed?: number; cassetteHeader: string | null };

/** The provider's status for an error that came in the middle of a stream. */
const statusByErrorType: Record<string, number> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  overloaded_error: 529,
};

function foldRecording({ chunks }: Recording): { status: number; json: unknown } {
  const { message, error } = foldMessage(readEvents(chunks.map((bytes) => ({ deltaMs: 0, bytes }))));
  if (error) return { status: statusByErrorType[String(error.type)] ?? 500, json: { type: "error", error } };
  return { status: 200, json: message };
}

/** The whole message as one frame, due when the recorded stream ended. */
function wholeMessage(recording: Recording, replay: Replay): Replay {
  const { status, json } = foldRecording(recording);
  if (json === null || recording.end === "truncated") {
    throw new AppError(
      "internal_error",
      "This cassette's stream breaks off, so it has no whole message. Ask with stream: true.",
    );
  }
  const frame = Buffer.from(JSON.stringify(json));
  return {
    status,
    headers: { ...replay.headers, "Content-Type": "application/json" },
    score: { ...replay.score, frames: [frame], dueMs: recording.dueMs.slice(-1) },
  };
}

/**
 * Answers a Messages request with a replay: the recorded stream, or the message it amounts to where the request does
 * not stream. A recorded error response is given as it was. Throws AppError.
 */
export async function replayMessage(
  context: MessageContext,
  { body, speed, cassetteHeader }: MessageInput,
): Promise<Replay> {
  const id = await chooseCassette(context, { body, cassetteHeader });
  const replay = await openReplay(context, { id, query: { speed } });
  const recording = (await context.catalogue.recording(id)) as Recording;
  const requestId = recording.headers["request-id"];
  const answer = body.stream || recording.status !== 200 ? replay : wholeMessage(recording, replay);
  return { ...answer, headers: { ...answer.headers, ...(requestId ? { "Request-Id": requestId } : {}) } };
}
