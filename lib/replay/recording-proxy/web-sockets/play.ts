import { setTimeout as wait } from "node:timers/promises";
import type { WebSocket } from "ws";
import { findDifferences, type JsonDifference } from "#lib/platform/json-difference";
import type { VerifiedCassette } from "#lib/replay/cassettes/index";
import type { Matching } from "../config";
import { commonPlace, type RunPlace } from "../run-place";
import type { Exchange } from "../tape";
import { replaceVolatileText } from "../volatile-text";
import {
  comparedOf,
  encodeMessage,
  type Message,
  type MessageMatching,
  messageKey,
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
  /** Sessions in the order in which they are tried; the first one is played until a message tells them apart. */
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

type Session = Candidate & { messages: readonly Message[]; steps: ReturnType<typeof readSteps> };

/** Returns what tells the messages of sessions apart that began alike: the type of an event, or else all of it. */
function kindOf(step: ServerStep | undefined): string {
  const text = String(step?.data);
  return /"type"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? text;
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
    }));
    client.on("message", (data: Buffer, isBinary) => this.#take(options.read(encodeMessage(data, isBinary))));
    const closed = new AbortController();
    this.#done = AbortSignal.any([options.ended, closed.signal]);
    this.#done.addEventListener("abort", () => this.#wake());
    client.once("close", () => closed.abort());
  }

  get #current(): Session {
    return this.#sessions[0] as Session;
  }

  #keyOf(message: Message, withResults: boolean, place?: RunPlace): string {
    const { volatile, volatileText, isExact } = this.#options;
    return messageKey(message, { volatile, volatileText: isExact ? [] : volatileText, place }, withResults);
  }

  /** Whether a message is that of a session: as it is, or else without the place and the day of each. */
  #isSame(recorded: Message, { exchange }: Session, message: Message, withResults: boolean): boolean {
    const { isExact, place } = this.#options;
    if (this.#keyOf(recorded, withResults) === this.#keyOf(message, withResults)) return true;
    if (isExact) return false;
    const known = exchange.request.place;
    return this.#keyOf(recorded, withResults, known) === this.#keyOf(message, withResults, commonPlace(place, known));
  }

  /** Whether a session has sent what the client got so far, but for the ids in it. */
  #hasSent({ steps }: Session): boolean {
    const sent = this.#current.steps.slice(0, this.#sentCount);
    return sent.every((step, index) => kindOf(step) === kindOf(steps[index]));
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

  #take(message: Message): void {
    if (this.#done.aborted || this.#missed) return;
    const index = this.#received.push(message) - 1;
    const { isExact, matching } = this.#options;
    const isByOrder = matching === "order";
    const has = (withResults: boolean) => (session: Session) => {
      const recorded = session.messages[index];
      const isFree = !session.exchange.isPlayed || (session === this.#current && index > 0);
      if (recorded === undefined || !isFree || !this.#hasSent(session)) return false;
      return isByOrder || this.#isSame(recorded, session, message, withResults);
    };
    const equal = this.#sessions.filter(has(true));
    const similar = equal.length > 0 || isExact || matching === "results" ? equal : this.#sessions.filter(has(false));
    const [next] = similar;
    const differences = this.#compare(next ?? this.#current, index, message);
    if (next) {
      if (equal.length === 0 || (isByOrder && differences.length > 0)) {
        const numbered = differences.map((each) => ({ ...each, pointer: `/${index}${each.pointer}` }));
        this.#accepted.push(...numbered);
      }
      // A session is taken with its first message: until then, another client may be the one that it belongs to.
      if (index > 0) this.#current.exchange.isPlayed = false;
      next.exchange.isPlayed = true;
      this.#sessions = similar;
    } else {
      this.#missed = { index, differences };
      this.#client.close(missCode, missReason);
    }
    this.#wake();
  }

  /** Waits until the client has sent so many messages. Returns whether it has. */
  async #receive(count: number): Promise<boolean> {
    const isOver = () => this.#done.aborted || this.#missed !== undefined;
    while (this.#received.length < count && !isOver()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return !isOver();
  }

  async play(): Promise<PlayedSession> {
    const { speed, cutAfter } = this.#options;
    this.#client.resume();
    for (;;) {
      if (cutAfter !== undefined && this.#sentCount >= cutAfter) this.#client.terminate();
      const step = this.#current.steps[this.#sentCount];
      // Without one, only the client can go on.
      if (!(await this.#receive(step?.after ?? Number.POSITIVE_INFINITY)) || !step) break;
      const delayMs = step.deltaMs / speed;
      if (delayMs > 0) await wait(delayMs, undefined, { signal: this.#done }).catch(() => undefined);
      if (this.#done.aborted || this.#missed) break;
      // Another recording may have taken its place while it waited.
      const { data, close } = this.#current.steps[this.#sentCount] ?? step;
      this.#sentCount += 1;
      if (close) {
        closeLike(this.#client, close.code, close.reason);
        break;
      }
      this.#client.send(data);
    }
    if (this.#options.ended.aborted) this.#client.close(1001, "the test has ended");
    const { exchange, verified } = this.#current;
    if (this.#received.length === 0) exchange.isPlayed = true;
    return { exchange, verified, sentCount: this.#sentCount, accepted: this.#accepted, missed: this.#missed };
  }
}

/** Plays the recorded session whose messages a client sends. Resolves when the connection is closed, or the test has ended. */
export function playSession(client: WebSocket, options: PlayOptions): Promise<PlayedSession> {
  return new SessionPlayer(client, options).play();
}
