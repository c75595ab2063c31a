import { LiveIndex, queryTerms } from "#lib/discovery/search/index";
import { AppError } from "#lib/platform/errors";
import {
  type CassetteSummary,
  type Catalogue,
  cassetteIdSchema,
  cassettesOfSite,
  foldMessage,
  promptOf,
  type Recording,
  readEvents,
  type Vertical,
} from "#lib/replay/cassettes/index";
import { openReplay, type Replay } from "./open-replay";
import type { MessagesBody } from "./schemas";

type ChoiceContext = { catalogue: Catalogue; site: { vertical: Vertical } };

const modelPrefix = "cassette:";

/** Complete ones first, then by id. */
function compare(a: CassetteSummary, b: CassetteSummary): number {
  const byEnd = Number(b.end === "complete") - Number(a.end === "complete");
  return byEnd || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/** One index of titles and prompts for each vertical of a catalogue. */
const indexes = new WeakMap<Catalogue, Map<Vertical, LiveIndex<CassetteSummary>>>();

function promptIndex({ catalogue, site }: ChoiceContext): LiveIndex<CassetteSummary> {
  const byVertical = indexes.get(catalogue) ?? new Map<Vertical, LiveIndex<CassetteSummary>>();
  indexes.set(catalogue, byVertical);
  const known = byVertical.get(site.vertical);
  if (known) return known;
  const index = new LiveIndex<CassetteSummary>({
    idOf: ({ id }) => id,
    partsOf: ({ title, prompt }) => ({ head: "", body: `${title}\n${prompt}` }),
    isSame: (a, b) => a.title === b.title && a.prompt === b.prompt && a.end === b.end,
    compare,
  });
  byVertical.set(site.vertical, index);
  return index;
}

/** The cassette of the site whose recorded prompt is nearest by BM25; on a tie a complete one, then the first by id. */
async function nearestCassette(context: ChoiceContext, prompt: string): Promise<string> {
  const read = () => cassettesOfSite(context);
  const nearest = await promptIndex(context).use(read, (index) => index.rank(queryTerms(prompt), 1)[0]?.item);
  const chosen = nearest ?? (await read()).sort(compare)[0];
  if (chosen) return chosen.id;
  throw new AppError(
    "not_found",
    "This site has no cassettes. Name one of another site as model: cassette:<vertical>/<slug>.",
  );
}

function checkedId(id: string, where: string): string {
  if (cassetteIdSchema.safeParse(id).success) return id;
  throw new AppError("not_found", `${where}: "${id.slice(0, 130)}" is not <vertical>/<slug> of a cassette.`);
}

/** Id of the cassette to replay: named by the model, else by the header, else the nearest recorded prompt. */
export async function chooseCassette(
  context: ChoiceContext,
  { body, cassetteHeader }: { body: MessagesBody; cassetteHeader: string | null },
): Promise<string> {
  if (body.model.startsWith(modelPrefix)) return checkedId(body.model.slice(modelPrefix.length), "model");
  if (cassetteHeader) return checkedId(cassetteHeader, "x-replay-cassette");
  return nearestCassette(context, promptOf(body));
}

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
