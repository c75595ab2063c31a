import { setTimeout as wait } from "node:timers/promises";
import type { WebSocket } from "ws";
import { describeDifference, findDifferences, type JsonDifference } from "#lib/platform/json-difference";
import { objectOf, type VerifiedCassette } from "#lib/replay/cassettes/index";
import type { Matching } from "../config";
import { commonPlace, type RunPlace } from "../run-place";
import type { Exchange } from "../tape";
import { replaceVolatileText } from "../volatile-text";
import {
  comparedOf,
  encodeMessage,
  isSameMessage,
  type Message,
  type MessageMatching,
  messagesOf,
  readSteps,
  type ServerStep,
} from "./messages";
import { closeLike } from "./relay";

/** Code and reason with which a session is closed that no recording continues. */
const missCode = 4424;
const missReason = "Tapedeck has no recording of this message. See the summary of the run.";

/** A recorded session that may be the one that a client opens. */
export type Candidate = { exchange: Exchange; verified: VerifiedCassette };

/**
 * A message that no recorded session has: which it is, counted from 0, and how it differs from that of the nearest one; by
 * nothing if that one has fewer messages.
 */
export type MissedMessage = { index: number; differences: JsonDifference[] };

export type PlayOptions = MessageMatching & {
  /** When the session was opened. */
  sentAt: string;
  /**
   * Sessions in the order in which they are tried; the first one is played until a message tells them apart. Those that
   * others hold come last.
   */
  candidates: readonly Candidate[];
  speed: number;
  isExact: boolean;
  /** Returns a message as it is stored. */
  read: (message: Message) => Message;
  /** By `order`, messages are not compared. */
  matching: Matching;
  /** Messages of the server after which the connection is cut. */
  cutAfter: number | undefined;
  ended: AbortSignal;
};

/**
 * What came of playing a session: the recording that was played, and the differences of messages that were accepted, whose
 * pointers begin with the number of the message, counted from 0.
 */
export type PlayedSession = Candidate & {
  sentCount: number;
  accepted: JsonDifference[];
  missed: MissedMessage | undefined;
};

type Session = Candidate & {
  messages: readonly Message[];
  steps: ReturnType<typeof readSteps>;
  /** How many of its steps are known to be like those that were sent, so that each is compared once. */
  alikeCount: number;
};

/** Members of events that differ although two sessions went alike. */
const ownMember = /^id$|_id$|_at$|^usage$|^rate_limits$/;

/** Returns what a server sent, without what it makes up for each session. */
function steadyStep(step: ServerStep | undefined): string {
  if (typeof step?.data !== "string") return JSON.stringify(step?.data ?? step?.close);
  try {
    const json: unknown = JSON.parse(step.data, (name, value) => (ownMember.test(name) ? undefined : value));
    return JSON.stringify(replaceVolatileText(json, []));
  } catch {
    return step.data;
  }
}

/** Which client each recording is played to now. */
const holders = new WeakMap<Exchange, SessionPlayer>();

/** Whether a recording is being played to a client, which may turn out to be that of another one. */
export function isHeld(exchange: Exchange): boolean {
  return holders.has(exchange);
}

/** Plays a recorded session: each message of the server when the client has sent all that came before it. */
class SessionPlayer {
  readonly #client: WebSocket;
  readonly #options: PlayOptions;
  readonly #received: Message[] = [];
  #sessions: Session[];
  #accepted: JsonDifference[] = [];
  #missed: MissedMessage | undefined;
  #sentCount = 0;
  /** Ends the wait for the client's next message. */
  #wake: () => void = () => undefined;
  /** Is aborted when the connection is closed, or the test has ended. */
  readonly #done: AbortSignal;

  constructor(client: WebSocket, options: PlayOptions) {
    this.#client = client;
    this.#options = options;
    this.#sessions = options.candidates.map((candidate) => ({
      ...candidate,
      messages: messagesOf(candidate.exchange.request) ?? [],
      steps: readSteps(candidate.verified.chunks),
      alikeCount: 0,
    }));
    client.on("message", (data: Buffer, isBinary) => this.#receive(options.read(encodeMessage(data, isBinary))));
    const closed = new AbortController();
    this.#done = AbortSignal.any([options.ended, closed.signal]);
    this.#done.addEventListener("abort", () => this.#wake());
    client.once("close", () => closed.abort());
  }

  get #current(): Session {
    return this.#sessions[0] as Session;
  }

  /** Whether a message is that of a session: as it is, or else without the place and the day of each. */
  #isSame(recorded: Message, { exchange }: Session, message: Message, withResults: boolean): boolean {
    const { isExact, place, sentAt, volatile, volatileText } = this.#options;
    const { place: known, sentAt: recordedAt } = exchange.request;
    const isSameIn = (before?: RunPlace, now?: RunPlace) =>
      isSameMessage(
        { message: recorded, place: before, sentAt: recordedAt },
        { message, place: now, sentAt },
        { volatile, volatileText: isExact ? [] : volatileText },
        withResults,
      );
    return isSameIn() || (!isExact && isSameIn(known, commonPlace(place, known)));
  }

  /** Whether a session has sent what the client got so far, but for the ids in it. */
  #hasSent(session: Session): boolean {
    const { steps } = this.#current;
    const isAlike = (index: number) =>
      session === this.#current || steadyStep(steps[index]) === steadyStep(session.steps[index]);
    while (session.alikeCount < this.#sentCount && isAlike(session.alikeCount)) session.alikeCount += 1;
    return session.alikeCount === this.#sentCount;
  }

  #hold(session: Session): void {
    session.exchange.isPlayed = true;
    holders.set(session.exchange, this);
    this.#sessions = [session, ...this.#sessions.filter((each) => each !== session)];
    this.#wake();
  }

  /** Gives up the recording that is held, if it is. Returns what takes it back. */
  #giveUp(): () => void {
    const held = this.#current;
    if (holders.get(held.exchange) !== this) return () => undefined;
    held.exchange.isPlayed = false;
    holders.delete(held.exchange);
    return () => this.#hold(held);
  }

  /**
   * Holds the first of some sessions that is free, or else that its holder can give up for one that fits the holder as well.
   * Returns whether there is one; `tried` has the recordings that need not be tried again.
   */
  #take(sessions: readonly Session[], tried = new Set<Exchange>()): boolean {
    const left = sessions.filter(({ exchange }) => !tried.has(exchange));
    const canTake = ({ exchange }: Session) => {
      tried.add(exchange);
      return !exchange.isPlayed || holders.get(exchange)?.moveAway(tried) === true;
    };
    const next = left.find(({ exchange }) => !exchange.isPlayed) ?? left.find(canTake);
    if (next) this.#hold(next);
    return next !== undefined;
  }

  /** Moves to another recording of what came and was sent so far, if nothing was accepted for the one that is held. */
  moveAway(tried: Set<Exchange>): boolean {
    return (
      this.#accepted.length === 0 &&
      this.#take(
        this.#sessions.slice(1).filter((each) => this.#hasSent(each)),
        tried,
      )
    );
  }

  /** Returns how a message differs from a recorded one, in what is compared; the pointers of JSON are those of its event. */
  #compare({ messages, exchange }: Session, index: number, message: Message): JsonDifference[] {
    const recorded = messages[index];
    if (recorded === undefined) return [];
    const { volatile, volatileText, isExact, place } = this.#options;
    const [before, after] = [comparedOf(recorded, volatile), comparedOf(message, volatile)];
    const steady = (value: unknown, at?: RunPlace) => (isExact ? value : replaceVolatileText(value, volatileText, at));
    // Texts that are not compared would hide what the difference is about.
    const differences = findDifferences(
      steady(before, exchange.request.place),
      steady(after, commonPlace(place, exchange.request.place)),
    );
    return differences.length > 0 ? differences : findDifferences(before, after);
  }

  #receive(message: Message): void {
    if (this.#done.aborted || this.#missed) return;
    const index = this.#received.push(message) - 1;
    const { isExact, matching } = this.#options;
    const isByOrder = matching === "order";
    const fitting = this.#sessions
      .filter(({ messages }) => messages[index] !== undefined)
      .filter((each) => this.#hasSent(each));
    const has = (withResults: boolean) => (session: Session) =>
      isByOrder || this.#isSame(session.messages[index] as Message, session, message, withResults);
    const takeBack = this.#giveUp();
    const take = (sessions: Session[]) => {
      const before = this.#sessions;
      this.#sessions = sessions;
      const isTaken = this.#take(sessions);
      if (!isTaken) this.#sessions = before;
      return isTaken;
    };
    const isEqual = take(fitting.filter(has(true)));
    const isTaken = isEqual || (!isExact && matching !== "results" && take(fitting.filter(has(false))));
    const differences = this.#compare(this.#current, index, message);
    if (!isTaken) {
      takeBack();
      this.#miss({ index, differences }, message);
    } else if (!isEqual || (isByOrder && differences.length > 0)) {
      const numbered = differences.map((each) => ({ ...each, pointer: `/${index}${each.pointer}` }));
      this.#accepted.push(...numbered);
    }
    this.#wake();
  }

  /** Tells the client of a miss, in an event if it sent one, so that nothing waits for the answer. */
  #miss(missed: MissedMessage, message: Message): void {
    this.#missed = missed;
    const event = "json" in message ? objectOf({ json: message.json as never }) : null;
    if (typeof event?.type === "string") {
      const text = [missReason, ...missed.differences.slice(0, 1).map(describeDifference)].join(" ");
      const error = { type: "invalid_request_error", code: "tapedeck_miss", message: text, param: null };
      this.#client.send(JSON.stringify({ type: "error", event_id: "event_tapedeck", error }));
    }
    this.#client.close(missCode, missReason);
  }

  get #nextStep() {
    return this.#current.steps[this.#sentCount];
  }

  get #isOver(): boolean {
    return this.#done.aborted || this.#missed !== undefined;
  }

  /** Waits until the client has sent all that comes before the next message of the server. Returns whether it has. */
  async #untilDue(): Promise<boolean> {
    while (this.#received.length < (this.#nextStep?.after ?? Number.POSITIVE_INFINITY) && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return !this.#isOver;
  }

  async play(): Promise<PlayedSession> {
    const { speed, cutAfter } = this.#options;
    this.#client.resume();
    for (;;) {
      if (cutAfter !== undefined && this.#sentCount >= cutAfter) this.#client.terminate();
      if (!(await this.#untilDue())) break;
      const step = this.#nextStep;
      const delayMs = (step?.deltaMs ?? 0) / speed;
      if (delayMs > 0) await wait(delayMs, undefined, { signal: this.#done }).catch(() => undefined);
      if (this.#isOver) break;
      // Another recording may have taken its place while it waited.
      if (!step || step !== this.#nextStep) continue;
      this.#sentCount += 1;
      if (step.close) {
        closeLike(this.#client, step.close.code, step.close.reason);
        break;
      }
      this.#client.send(step.data);
    }
    if (this.#options.ended.aborted) this.#client.close(1001, "the test has ended");
    const { exchange, verified } = this.#current;
    if (this.#received.length === 0) exchange.isPlayed = true;
    if (holders.get(exchange) === this) holders.delete(exchange);
    return { exchange, verified, sentCount: this.#sentCount, accepted: this.#accepted, missed: this.#missed };
  }
}

/** Plays the recorded session whose messages a client sends. Resolves when the connection is closed, or the test has ended. */
export function playSession(client: WebSocket, options: PlayOptions): Promise<PlayedSession> {
  return new SessionPlayer(client, options).play();
}
