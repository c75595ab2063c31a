import type { IncomingMessage, ServerResponse } from "node:http";
import { localName } from "#lib/replay/interception/index";
import { cutOff } from "#lib/replay/playback/index";
import { addressOf, type Call, forwardCall, type Incoming, openCall } from "./call";
import { findSimilar } from "./changing-text";
import { isPlaying, type SessionOptions } from "./config";
import { UpstreamError } from "./forward";
import { giveAnswer, whyNoAnswer } from "./give-answer";
import { answerLong, type LongRequest } from "./long-request";
import { isLeftForExact } from "./match-request";
import { moveAnswer } from "./move-answer";
import { notePlayed } from "./note-played";
import { playExchange } from "./play-exchange";
import { type CallFault, errorOfFault, sendError } from "./proxy-faults";
import { addAccepted, addReports, type Miss, type SessionReport } from "./report";
import { RunningCalls } from "./running-calls";
import { type SeenRequest, seeAnswer } from "./seen-request";
import { addMiss, describeMiss } from "./session-report";
import { endRun, newRun, noteKept, type Outcome, storeCall, type TestRun, takeBack } from "./store-call";
import type { Exchange, Tape, TapePlace } from "./tape";
import { TapeError } from "./tape-error";
import { flushTapes, openForSession, replaceTape, startReplacement } from "./tape-replacement";
import type { TapeRequest } from "./tape-request";
import { createMiss, type Missed, type UnopenedTapes } from "./unopened-tapes";
import { answerUpgrade } from "./web-sockets/answer-upgrade";
import type { Upgrade } from "./web-sockets/relay";

/** Most requests that a test can look at. */
const maxSeenRequests = 1_000;
/** Requests that are recorded, after which no more are compared with the recordings that are left. */
const maxComparedRequests = 20;
/** Longest wait for answers that are still being recorded: when a test begins again, and when it ends. */
const settleMs = { begin: 1_000, end: 10_000 };

/** Answers the requests of one test: from its tape, or from the upstream. */
export class TestSession {
  readonly test: string;
  /** The tape that is played. */
  #tape: Tape;
  /** The tape that replaces it, in mode `record`. */
  #replacement: Tape | undefined;
  #run: TestRun;
  /** Files that the test has used since the proxy started, however often it began. */
  readonly #usedFiles = new Set<string>();
  /** What the test came to before it began again. */
  #earlier: SessionReport | undefined;
  readonly #running = new RunningCalls();
  readonly #unopened: UnopenedTapes;
  requests: SeenRequest[] = [];

  private constructor(tape: Tape, options: SessionOptions, unopened: UnopenedTapes) {
    this.test = tape.test;
    this.#tape = tape;
    this.#run = newRun(tape, options);
    this.#unopened = unopened;
  }

  /** Opens the tape of a test. Throws TapeError. */
  static async open(
    place: TapePlace,
    test: string,
    options: SessionOptions,
    unopened: UnopenedTapes,
  ): Promise<TestSession> {
    const session = new TestSession(await openForSession(place, test, options), options, unopened);
    session.#replacement = options.mode === "record" ? await startReplacement(session.#tape) : undefined;
    return session;
  }

  get folder(): string {
    return this.#tape.folder;
  }

  get #options(): SessionOptions {
    return this.#run.options;
  }

  get #report(): SessionReport {
    return this.#run.report;
  }

  /** Whether all requests to a host are on the tape that is played. */
  plays(host: string): boolean {
    return isPlaying(this.#options.mode) && this.#tape.wholeHosts.has(localName(host));
  }

  /** Starts the test, again if it ran before. */
  async begin(options: SessionOptions): Promise<void> {
    await this.#settle(settleMs.begin);
    const recorded = takeBack(this.#run);
    this.#earlier = this.total();
    this.#run = newRun(this.#tape, options, recorded);
    this.requests = [];
    // Read again: the volatile fields or the files may have changed.
    this.#tape = await openForSession(this.#tape, this.test, options);
    this.#replacement = options.mode === "record" ? await startReplacement(this.#tape) : undefined;
  }

  /** Waits until every answer is stored. Returns whether the lists of recordings could be written. */
  async #settle(maxMs: number): Promise<boolean> {
    await this.#running.settle(maxMs);
    // A list that cannot be written fails each time that the test ends.
    const failures = await flushTapes([this.#tape, this.#replacement]);
    const notes = failures.filter((note) => !this.#report.notes.includes(note));
    this.#report.unwritten += notes.length;
    this.#report.notes.push(...notes);
    return failures.length === 0;
  }

  /** Ends the test. In mode `record`, the new tape replaces the old one unless the test has failed and is not to be kept. */
  async end(outcome: Outcome): Promise<SessionReport> {
    const isListed = await this.#settle(settleMs.end);
    const replacement = this.#replacement;
    this.#replacement = undefined;
    const isWhole = outcome === "stopped" ? isListed : this.#report.unwritten === 0;
    endRun(this.#run, outcome);
    if (!replacement) return this.report();
    const isKept = outcome !== "failed" || this.#options.keepsFailed;
    if (isKept && isWhole && replacement.exchanges.length > 0) {
      this.#tape = await replaceTape(this.#tape, replacement, this.#run, outcome);
      return this.report();
    }
    if (!isKept || !isWhole) noteKept(this.#run, isKept);
    Object.assign(this.#report, { recorded: 0, redactions: 0, redacted: [], local: {} });
    await replacement.discard();
    return this.report();
  }

  report(): SessionReport {
    const unused = this.#tape.exchanges.filter(({ isPlayed }) => !isPlayed).map(({ file }) => file);
    const isReplaced = this.#options.mode === "record" || this.#options.mode === "live";
    return { ...this.#report, unused: isReplaced ? [] : unused };
  }

  /** Returns what the test came to since the proxy started, with each time that it began. */
  total(): SessionReport {
    for (const { file, isPlayed } of this.#tape.exchanges) if (isPlayed) this.#usedFiles.add(file);
    const report = this.report();
    const unused = report.unused.filter((file) => !this.#usedFiles.has(file));
    return { ...(this.#earlier ? addReports(this.#earlier, report) : report), unused };
  }

  /** Answers a request that is too large to be kept. Throws UpstreamError. */
  async handleLong(incoming: LongRequest, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const context = { mode: this.#options.mode, report: this.#report, signal: this.#running.forwarding };
    this.#run.faults.next(addressOf(incoming).host);
    await this.#running.track(answerLong(incoming, request, response, context));
  }

  /** Counts a call that cannot be answered. */
  addRefused(request: string, host: string, { reason, advice }: { reason: string; advice: string }): void {
    this.#report.requests += 1;
    this.#report.misses.push({ test: this.test, request, host, reason, nearest: null, failure: advice });
  }

  /** Answers a request. Never rejects: what goes wrong is sent to the client in its provider's format. */
  async handle(incoming: Incoming, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = { ...openCall(incoming, request, this.#options), response };
    const { provider, seen, read } = call;
    const { faults } = this.#run;
    this.#report.requests += 1;
    this.#see(seeAnswer(seen, response));
    const fault = faults.next(seen.host);
    const error = fault && errorOfFault(fault, provider, { speed: this.#options.speed, id: fault.call });
    if (fault && error) {
      faults.markUsed(fault);
      read();
      return void response.writeHead(error.status, error.headers).end(error.body);
    }
    const run = this.#answer(call, fault).catch(async (error: Error) => {
      const miss = error instanceof UpstreamError ? await this.#addUnrecorded(call, `${error.message}.`) : undefined;
      if (error instanceof TapeError) this.#report.unreadable += 1;
      if (!miss) this.#report.notes.push(error.message);
      const [status, text] = [error instanceof UpstreamError ? 502 : 500, miss ? describeMiss(miss) : error.message];
      if (response.headersSent) cutOff(response, true);
      else sendError(response, provider, status, text, { "x-should-retry": "false" });
    });
    await this.#running.track(run.finally(read));
  }

  #see(request: SeenRequest): void {
    if (this.requests.length < maxSeenRequests) this.requests.push(request);
  }

  /** Answers the upgrade to a WebSocket, and plays or records what comes over it. Never rejects. */
  async upgrade(incoming: Incoming, upgrade: Upgrade): Promise<void> {
    this.#report.requests += 1;
    const run = answerUpgrade(incoming, upgrade, {
      tape: this.#tape,
      target: this.#replacement ?? this.#tape,
      run: this.#run,
      fault: this.#run.faults.next(addressOf(incoming).host),
      ended: this.#running.ended,
      forwarding: this.#running.forwarding,
      seen: (request) => this.#see(request),
    }).catch((error: Error) => {
      if (error instanceof TapeError) this.#report.unreadable += 1;
      this.#report.notes.push(error.message);
      upgrade.socket.destroy();
    });
    await this.#running.track(run);
  }

  async #answer(call: Call, fault: CallFault | undefined): Promise<void> {
    const { mode, matching, recordCommand, repeats } = this.#options;
    if (mode === "live") return this.#pass(call);
    if (await giveAnswer(call, fault, this.#run)) return;
    if (mode === "record") return void (await this.#record(call, this.#replacement ?? this.#tape, fault));
    // Nothing is left that could match, so the request need not be read before it is sent on.
    if (mode === "auto" && repeats === "none" && !this.#tape.exchanges.some(isLeftForExact))
      return void (await this.#record(call, this.#tape, fault));
    const { asked } = call.read();
    const match = await this.#tape.find(call.provider, asked, { ...this.#options, isTaken: true });
    if (match.kind === "match") {
      if (match.differences.length > 0) {
        const { differences, exchange, isInResults } = match;
        const isByOrder = matching === "order";
        addAccepted(this.#report, { file: exchange.file, differences, isByOrder, isInResults });
      }
      return this.#play(call, match.exchange, fault);
    }
    if (mode === "auto") return this.#recordAgain(call, asked, fault);
    const miss = await this.#addMiss({ call, asked, match, remedy: { record: recordCommand } });
    sendError(call.response, call.provider, 424, describeMiss(miss), { "x-should-retry": "false" });
  }

  async #addMiss(missed: Omit<Missed, "isExact" | "answers">): Promise<Miss> {
    const { isExact } = this.#options;
    const answers = whyNoAnswer(missed.call, this.#run.answers);
    const miss = await createMiss(this.#tape, this.#unopened, { ...missed, isExact, answers });
    addMiss(this.#run, miss);
    return miss;
  }

  /** In mode `auto`, adds a miss for a request that could not be recorded either. */
  async #addUnrecorded(call: Call, failure: string): Promise<Miss | undefined> {
    if (this.#options.mode !== "auto") return undefined;
    const { asked } = call.read();
    const match = await this.#tape.find(call.provider, asked, this.#options);
    return match.kind === "miss" ? this.#addMiss({ call, asked, match, remedy: { failure } }) : undefined;
  }

  async #play(call: Call, exchange: Exchange, fault: CallFault | undefined): Promise<void> {
    const { asked } = call.read();
    const findIds = this.#tape.movedIds.learn(exchange.request, asked);
    const verified = moveAnswer(await this.#tape.readAnswer(exchange), exchange.request.place, asked, findIds);
    const { speed, maxAgeDays } = this.#options;
    notePlayed(this.#report, { exchange, verified, upstream: call.incoming.upstream, maxAgeDays });
    await playExchange(call, { marker: "played", file: exchange.file, verified, speed, fault, run: this.#run });
  }

  /** Records the answer to a call that has no recording, and once the client has it, notes a similar one that is not used. */
  async #recordAgain(call: Call, asked: TapeRequest, fault: CallFault | undefined): Promise<void> {
    const { report, options } = this.#run;
    const tape = this.#tape;
    const isStored = await this.#record(call, tape, fault);
    if (!isStored || report.recorded > maxComparedRequests) return;
    const left = tape.exchanges.filter(({ file }) => report.again.every((each) => each.file !== file));
    const similar = findSimilar(left, { provider: call.provider, asked }, { ...options, volatile: tape.volatile });
    if (similar) report.again.push(similar);
  }

  /**
   * Records the answer to a call, and returns whether it was stored. One with a fault is recorded whole first, and then
   * played with the fault.
   */
  async #record(call: Call, tape: Tape, fault: CallFault | undefined): Promise<boolean> {
    const run = this.#run;
    const file = tape.reserveFile();
    const { forwarding } = this.#running;
    const forwarded = { mode: run.options.mode, signal: forwarding, isHeld: fault !== undefined };
    const { finish, problem, isBeyondBound, hasLeft, ...answer } = await forwardCall(call, forwarded);
    let answerClient: () => void | Promise<void> = finish;
    try {
      const { file: stored, failure } = await storeCall(
        call,
        { file, answer, problem, isBeyondBound, hasLeft, isLate: forwarding.aborted },
        { tape, run },
      );
      if (failure !== undefined) await this.#addUnrecorded(call, failure);
      if (fault && stored !== undefined)
        answerClient = async () => {
          const verified = await tape.readAnswer({ file: stored }).catch(() => undefined);
          if (!verified) return finish();
          const { speed } = run.options;
          await playExchange(call, { marker: "recorded", file: stored, verified, speed, fault, run });
        };
      return stored !== undefined;
    } finally {
      await answerClient();
    }
  }

  async #pass(call: Call): Promise<void> {
    const { finish } = await forwardCall(call, { mode: "live", signal: this.#running.forwarding, isHeld: false });
    this.#report.passedThrough += 1;
    call.read();
    finish();
  }
}
