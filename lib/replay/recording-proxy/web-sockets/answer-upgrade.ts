import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { http, type Provider } from "#lib/replay/providers/index";
import { addressOf, type Incoming, openCall, senderOf } from "../call";
import { isPlaying } from "../config";
import { UpstreamError } from "../forward";
import { allPlayed, timesText } from "../match-request";
import { moveAnswer } from "../move-answer";
import { formatSentAt } from "../moved-times";
import { notePlayed } from "../note-played";
import { type CallFault, errorOfFault } from "../proxy-faults";
import { credentialsOf, readRequest } from "../read-request";
import { addAccepted, type Miss } from "../report";
import { localDay } from "../run-place";
import type { ReceivedAnswer } from "../seal-exchange";
import { type SeenRequest, seeRequest } from "../seen-request";
import { describeMiss } from "../session-report";
import { storeCall, type TestRun } from "../store-call";
import type { Tape } from "../tape";
import { maskSession, messageReader } from "./mask-session";
import { bodyOf, type Message, messagesOf, placeOf } from "./messages";
import { type Candidate, isHeld, playSession } from "./play";
import { acceptClient, openServer, relay, type Upgrade } from "./relay";

/** What a test has for the WebSockets that it opens. */
export type UpgradeContext = {
  /** The tape that is played. */
  tape: Tape;
  /** The tape on which sessions are recorded. */
  target: Tape;
  run: TestRun;
  fault: CallFault | undefined;
  /** Is aborted when the test ends: what came until then is stored. */
  ended: AbortSignal;
  /** Ends requests to servers that do not answer in time. */
  forwarding: AbortSignal;
  seen: (request: SeenRequest) => void;
};

/** The two answers to an upgrade, which the test sees. */
type Answering = UpgradeContext & {
  accept: (protocol: string) => Promise<WebSocket>;
  refuse: (answer: ReceivedAnswer) => void;
};

/** Answers an upgrade with an error, or with what the server answered. */
export function refuseUpgrade(socket: Duplex, { status, headers, chunks }: ReceivedAnswer): void {
  const body = Buffer.concat(chunks.map(({ bytes }) => bytes));
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    ...Object.entries({ ...headers, "content-length": String(body.length), connection: "close" }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
  ];
  socket.end(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body]));
}

/** Returns an error in the format of a provider, as the answer to an upgrade. */
export function errorAnswer(provider: Provider, status: number, message: string): ReceivedAnswer {
  const body = JSON.stringify(provider.errorBody({ status, message, requestId: "req_tapedeck" }));
  const headers = { "content-type": "application/json", "x-tapedeck": "error" };
  return { status, headers, chunks: [{ deltaMs: 0, bytes: Buffer.from(body) }] };
}

/** Answers the upgrade to a WebSocket: plays a recorded session, or records one. */
export async function answerUpgrade(incoming: Incoming, upgrade: Upgrade, context: UpgradeContext): Promise<void> {
  const { fault } = context;
  const { options, report, faults } = context.run;
  const { socket } = upgrade;
  const provider = incoming.upstream.providers[0] ?? http;
  const messages: Message[] = [];
  const { request } = upgrade;
  const secrets = [...options.secrets, ...credentialsOf({ headers: request.headers, query: incoming.query })];
  const known = { method: "WEBSOCKET", host: addressOf(incoming).host, path: incoming.path };
  const seen = seeRequest(request, { ...known, body: { websocket: messages } }, { ...options, secrets });
  context.seen(seen);
  const refuse = (answer: ReceivedAnswer) => {
    seen.status = answer.status;
    refuseUpgrade(socket, answer);
  };
  const accept = async (protocol: string) => {
    const client = await acceptClient(upgrade, protocol);
    seen.status = 101;
    return client;
  };
  const answering: Answering = { ...context, accept, refuse };
  const error = fault && errorOfFault(fault, provider, { speed: options.speed, id: fault.call });
  if (fault && error) {
    faults.markUsed(fault);
    return refuse({ ...error, chunks: [{ deltaMs: 0, bytes: Buffer.from(error.body) }] });
  }
  const candidates = isPlaying(options.mode) ? await findCandidates(incoming, upgrade, context) : [];
  if (candidates.length > 0) return play(incoming, upgrade, candidates, answering);
  if (options.mode !== "replay") return record(incoming, upgrade, messages, answering);
  const miss: Miss = { ...missOf(incoming, upgrade, context), record: options.recordCommand };
  report.misses.push(miss);
  refuse(errorAnswer(provider, 424, describeMiss(miss)));
}

function missOf(incoming: Incoming, upgrade: Upgrade, context: UpgradeContext) {
  const request = `WebSocket ${incoming.path}`;
  const count = sessionsOf(incoming, upgrade, context).length;
  // One that missed was played up to a message that differs: its miss says what to do.
  const hasMissed = context.run.report.misses.some((miss) => miss.request === request);
  const why = hasMissed ? "and an earlier one of this run missed" : allPlayed;
  const reason =
    count === 0 ? "The tape has no such WebSocket" : `This WebSocket was recorded ${timesText(count)}, ${why}`;
  return { test: context.tape.test, request, ...senderOf({ incoming, ...upgrade }), reason, nearest: null };
}

function rawOf({ upstream, path, query }: Incoming, { request }: Upgrade) {
  return { method: "GET", host: upstream.host, path, query, headers: request.headers };
}

/** Returns the recorded sessions of a place. */
function sessionsOf(incoming: Incoming, upgrade: Upgrade, { tape, run: { options } }: UpgradeContext) {
  const raw = { ...rawOf(incoming, upgrade), body: bodyOf([]) };
  const { asked } = readRequest(raw, options.secrets, options.allowed);
  return tape.exchanges.filter(
    (exchange) => messagesOf(exchange.request) !== null && placeOf(exchange.request) === placeOf(asked),
  );
}

function findCandidates(incoming: Incoming, upgrade: Upgrade, context: UpgradeContext): Promise<Candidate[]> {
  const sessions = sessionsOf(incoming, upgrade, context);
  const { repeats } = context.run.options;
  // A client says after its upgrade which session it wants: one that is played can no longer be recorded.
  const canRepeat = repeats === "all";
  const played = canRepeat ? sessions.filter(({ isPlayed }) => isPlayed).reverse() : [];
  // What plays again is marked as free: its player takes no other one.
  const again = played.map((exchange) => ({ ...exchange, isPlayed: false }));
  const unplayed = sessions.filter(({ isPlayed }) => !isPlayed);
  // A client of another session may move to a free one.
  const held = unplayed.length > 0 ? sessions.filter(isHeld) : [];
  const free = [...unplayed, ...again, ...held];
  const { isExact, place } = context.run.options;
  return Promise.all(
    free.map(async (exchange) => {
      const recorded = await context.tape.readAnswer(exchange);
      return { exchange, verified: isExact ? recorded : moveAnswer(recorded, exchange.request.place, { place }) };
    }),
  );
}

async function play(
  incoming: Incoming,
  upgrade: Upgrade,
  candidates: readonly Candidate[],
  context: Answering,
): Promise<void> {
  const { fault, ended } = context;
  const { options, report, faults } = context.run;
  const { isExact, matching, speed, volatileText } = options;
  const now = new Date();
  const place = { ...options.place, day: localDay(now) };
  const cutAfter = fault?.do === undefined || fault.do === "cut" ? fault?.afterEvent : undefined;
  const protocol = candidates[0]?.verified.cassette.response.headers["sec-websocket-protocol"] ?? "";
  const client = await context.accept(protocol);
  const { exchange, verified, sentCount, accepted, missed } = await playSession(client, {
    candidates,
    volatile: context.tape.volatile,
    volatileText,
    place,
    sentAt: formatSentAt(now),
    speed,
    read: messageReader(rawOf(incoming, upgrade), options),
    isExact,
    matching,
    cutAfter,
    ended,
  });
  if (fault && cutAfter !== undefined) {
    const idle = `the server sent ${sentCount} messages over the WebSocket of call ${fault.call}`;
    faults.markPlayed(fault, sentCount < cutAfter ? idle : undefined);
  } else if (fault) faults.markPlayed(fault, `call ${fault.call} is a WebSocket, on which only status and cuts act`);
  const { file } = exchange;
  if (missed) {
    const { index, differences } = missed;
    const what = `message ${index + 1} of the client`;
    report.misses.push({
      ...missOf(incoming, upgrade, context),
      reason: `No recorded session has ${differences.length > 0 ? `this ${what}` : what}`,
      nearest: differences.length > 0 ? { file, differences } : null,
      failure: "a session is recorded from its beginning. Record the tape again with --mode record",
    });
    return;
  }
  notePlayed(report, { exchange, verified, upstream: incoming.upstream, maxAgeDays: options.maxAgeDays });
  const kind = matching === "order" ? { isByOrder: true } : { isInResults: true };
  if (accepted.length > 0) addAccepted(report, { file, differences: accepted, ...kind });
}

async function record(incoming: Incoming, upgrade: Upgrade, messages: Message[], context: Answering): Promise<void> {
  const { options, report, faults } = context.run;
  const { upstream } = incoming;
  if (context.fault)
    faults.markPlayed(
      context.fault,
      `call ${context.fault.call} is a WebSocket, on which only status acts while it is recorded`,
    );
  const { request } = upgrade;
  const file = context.target.reserveFile();
  const { url, host } = addressOf(incoming);
  const provider = upstream.providers[0] ?? http;
  const addUnrecorded = (failure: string): Miss => {
    const miss: Miss = { ...missOf(incoming, upgrade, context), failure };
    if (options.mode === "auto") report.misses.push(miss);
    return miss;
  };
  const opened = await openServer(url, host, request, context.forwarding).catch((error: Error) => error);
  if (opened instanceof UpstreamError) {
    const miss = addUnrecorded(`${opened.message}.`);
    if (options.mode !== "auto") report.notes.push(`${opened.message}.`);
    return context.refuse(errorAnswer(provider, 502, describeMiss(miss)));
  }
  if (opened instanceof Error) throw opened;
  if ("refusal" in opened) {
    const { status } = opened.refusal;
    report.notes.push(`WebSocket ${incoming.path} was refused with ${status} and not stored.`);
    addUnrecorded(`the server refused it with ${status}.`);
    return context.refuse(opened.refusal);
  }
  const server = opened.socket;
  const client = await context.accept(server.protocol).catch((error) => {
    server.terminate();
    addUnrecorded("the client closed the connection.");
    throw error;
  });
  const { answer: relayed, problem } = await relay(client, server, messages, context.ended);
  const session = { messages, answer: relayed };
  const { answer, ...masked } = maskSession(session, rawOf(incoming, upgrade), options);
  const openedCall = openCall({ ...incoming, body: bodyOf(masked.messages) }, request, options);
  const asked = openedCall.read();
  const read = () => ({
    ...asked,
    redactions: [...masked.redactions, ...asked.redactions],
    suspicions: [...masked.suspicions, ...asked.suspicions],
  });
  const call = { ...openedCall, provider: http, read };
  const isReadable = messagesOf(asked.asked) !== null;
  const size = isReadable ? undefined : "its messages are too large";
  const received = {
    file,
    answer,
    problem: problem ?? size,
    isBeyondBound: size !== undefined,
    hasLeft: false,
    isLate: false,
  };
  const { failure } = await storeCall(call, received, { tape: context.target, run: context.run });
  if (failure !== undefined) addUnrecorded(failure);
}
