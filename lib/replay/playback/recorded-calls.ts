import { AppError } from "#lib/platform/errors";
import { type CassetteSummary, encodeBody, findEventEnds, objectOf } from "#lib/replay/cassettes/index";
import { providersOf, readEvents, requireProvider } from "#lib/replay/providers/index";
import { type Choice, chooseCassette, type DropInContext } from "./choose-cassette";
import { type DropInInput, replayRead } from "./drop-in";
import { cutRange } from "./omit-usage";
import { type Replay, withSchedule } from "./open-replay";
import { digestRequest } from "./read-request";

/** A request to a path that no endpoint declares. */
export type RecordedCall = Pick<DropInInput, "header" | "requestId"> & {
  method: string;
  path: string;
  query: string;
  bytes: Uint8Array;
};

/**
 * Returns the recorded answer to exactly this request, whatever the path is for, or the named cassette. Throws AppError
 * not_found if there is none.
 */
export async function replayCall(context: DropInContext, { bytes, ...call }: RecordedCall): Promise<Replay> {
  const index = await context.catalogue.matchIndex();
  const body = encodeBody(bytes);
  const place = { method: call.method, path: call.path, query: call.query };
  const requests = [...providersOf(place).map(({ provider }) => provider), requireProvider("http")].map((provider) => ({
    provider,
    request: digestRequest(provider, { ...place, body: objectOf(body) }, body),
  }));
  const recorded = requests.find(({ request }) => index.exact(request.key.hash).length > 0);
  const asked = recorded ?? (requests.at(-1) as (typeof requests)[number]);
  return replayRead(context, { ...call, ...asked }, (_, input, named) => chooseCassette(context, { ...input, named }));
}

type Retrieval = Pick<DropInInput, "speed" | "fault" | "header" | "requestId"> & {
  id: string;
  isStream: boolean;
  /** Number of the last event that the client has. */
  startingAfter: number | undefined;
};

const provider = requireProvider("openai-responses");

/** Chooses the recording that tells the newest state of a response: a test that asks again gets one state after the other. */
function chooseState(found: readonly CassetteSummary[]): Choice | null {
  const states = found.filter(({ match }) => match.operation === "other").map(({ id }) => id);
  const id = states.at(-1) ?? found.at(-1)?.id;
  return id === undefined ? null : { id, match: "exact", repeats: states };
}

/** Returns the events of a stream after the one with this sequence number. */
function startAfter(replay: Replay, sequenceNumber: number): Replay {
  const body = Buffer.concat(replay.schedule.frames);
  const ends = findEventEnds(body);
  const last = ends.findLastIndex((end, index) => {
    const [event] = readEvents([{ deltaMs: 0, bytes: body.subarray(ends[index - 1] ?? 0, end) }], "sse");
    return Number(event?.json?.sequence_number) <= sequenceNumber;
  });
  return last < 0 ? replay : withSchedule(replay, cutRange(replay.schedule, [0, ends[last] as number]));
}

/** Returns a response of OpenAI Responses by its id, or its stream. Throws AppError not_found. */
export async function retrieveResponse(context: DropInContext, retrieval: Retrieval): Promise<Replay> {
  const { id, isStream, startingAfter, ...call } = retrieval;
  const place = { method: "GET", path: `/v1/responses/${id}`, query: "", body: null };
  const request = { ...digestRequest(provider, place), form: isStream ? ("sse" as const) : ("whole" as const) };
  const replay = await replayRead(context, { ...call, path: place.path, provider, request }, async () => {
    const found = (await context.catalogue.matchIndex()).withAnswer(provider.name, id);
    const choice = chooseState(found);
    if (choice) return choice;
    throw new AppError("not_found", `No recording has the response ${id.slice(0, 200)}.`);
  });
  return isStream && startingAfter !== undefined && replay.status === 200 ? startAfter(replay, startingAfter) : replay;
}
