import { rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { dayMs, secondMs } from "#lib/platform/time";
import { codeOf, toRecording, upstreamUrl, WriteError } from "#lib/replay/cassettes/index";
import { openRecording, playToResponse } from "#lib/replay/playback/index";
import { type Call, type Incoming, openCall, type SeenRequest } from "./call";
import type { Mode } from "./config";
import { forward, UpstreamError } from "./forward";
import type { Match } from "./match-request";
import { applyCallFault, type CallFault, isRetried, seedFault, sendError } from "./proxy-faults";
import { describeMiss, emptyReport, type Miss, type SessionReport } from "./session-report";
import { storeExchange } from "./store-exchange";
import { type Exchange, Tape } from "./tape";
import type { TapeRequest } from "./tape-request";
import { providerAt } from "./upstreams";

export type SessionOptions = {
  mode: Mode;
  /** Playback speed: 1 is as recorded, Infinity without delays. */
  speed: number;
  volatile: readonly string[];
  secrets: readonly string[];
  isExact: boolean;
  faults: readonly CallFault[];
  /** Days after which a recording is reported as old. */
  maxAgeDays: number | undefined;
};

/** Most requests that a test can look at. */
const maxSeenRequests = 1_000;
/** Longest wait for answers that are still being recorded: when a test begins again, and when it ends. */
const settleMs = { begin: 1_000, end: 10_000 };

/** Returns why a recording was not stored. */
function explainFailure(error: unknown): string {
  if (!(error instanceof WriteError)) return error instanceof Error ? error.message : String(error);
  return `${error.path}: ${codeOf(error) === "EEXIST" ? "another run stored it at the same time" : error.reason}`;
}

type Missed = Extract<Match<Exchange>, { kind: "miss" }>;

/** Answers the requests of one test: from its tape, or from the upstream. */
export class TestSession {
  readonly test: string;
  #options: SessionOptions;
  /** The tape that is played. */
  #tape: Tape;
  /** The tape that replaces it, in mode `record`. */
  #replacement: Tape | undefined;
  #calls = 0;
  /** Whether an answer could not be written, so that a new tape lacks it. */
  #hasUnwritten = false;
  readonly #running = new Set<Promise<void>>();
  /** Ends the requests to upstreams that are not answered in time. */
  #forwarding = new AbortController();
  #report: SessionReport;
  readonly #now: () => Date;
  requests: SeenRequest[] = [];

  private constructor(tape: Tape, options: SessionOptions, now: () => Date) {
    this.test = tape.test;
    this.#tape = tape;
    this.#options = options;
    this.#now = now;
    this.#report = emptyReport(tape.test, tape.folder);
  }

  /** Opens the tape of a test. Throws TapeError. */
  static async open(
    folder: string,
    test: string,
    options: SessionOptions,
    now = () => new Date(),
  ): Promise<TestSession> {
    const session = new TestSession(await Tape.open(folder, test, options.volatile), options, now);
    await session.#startRecording();
    return session;
  }

  get folder(): string {
    return this.#tape.folder;
  }

  /** Starts the test, again if it ran before. */
  async begin(options: SessionOptions): Promise<void> {
    await this.#settle(settleMs.begin);
    this.#options = options;
    this.#calls = 0;
    this.#hasUnwritten = false;
    this.requests = [];
    this.#report = emptyReport(this.test, this.folder);
    // Read again: the volatile fields or the files may have changed.
    this.#tape = await Tape.open(this.folder, this.test, options.volatile);
    this.#replacement = undefined;
    await this.#startRecording();
  }

  /** In mode `record`, starts the tape that replaces the present one. */
  async #startRecording(): Promise<void> {
    if (this.#options.mode !== "record") return;
    const folder = `${this.#tape.folder}.new-${process.pid}`;
    await rm(folder, { recursive: true, force: true });
    this.#replacement = this.#tape.successor(folder);
  }

  /** Waits for answers that are still being recorded, and ends those that take longer. */
  async #settle(maxMs: number): Promise<void> {
    const timer = setTimeout(() => {
      this.#forwarding.abort(new Error(`the test ended ${maxMs / secondMs} s before it was complete`));
    }, maxMs);
    await Promise.allSettled(this.#running);
    clearTimeout(timer);
    this.#forwarding = new AbortController();
    await this.#tape.flush();
    await this.#replacement?.flush();
  }

  /** Ends the test. In mode `record`, the new tape replaces the old one if the test has passed. */
  async end(hasPassed: boolean): Promise<SessionReport> {
    await this.#settle(settleMs.end);
    const replacement = this.#replacement;
    this.#replacement = undefined;
    if (replacement && hasPassed && !this.#hasUnwritten && replacement.exchanges.length > 0) {
      const { folder, test, volatile } = this.#tape;
      await replacement.moveTo(folder);
      this.#tape = await Tape.open(folder, test, volatile);
      for (const exchange of this.#tape.exchanges) exchange.isPlayed = true;
    } else if (replacement) {
      if (!hasPassed) this.#report.notes.push("The test failed, so its old tape stays.");
      else if (this.#hasUnwritten)
        this.#report.notes.push("Its old tape stays, since not every answer could be stored.");
      await rm(replacement.folder, { recursive: true, force: true });
    }
    return this.report();
  }

  report(): SessionReport {
    const unused = this.#tape.exchanges.filter(({ isPlayed }) => !isPlayed).map(({ file }) => file);
    const isReplaced = this.#options.mode === "record" || this.#options.mode === "live";
    return { ...this.#report, unused: isReplaced ? [] : unused };
  }

  /** Refuses a request that is too large to be kept. */
  refuse({ upstream, path }: Pick<Incoming, "upstream" | "path">, method: string, response: ServerResponse): void {
    const provider = providerAt(upstream, { method, path });
    this.#report.notes.push(`${method} ${path} was refused with 413: the request is larger than 32 MiB.`);
    sendError(response, provider, 413, "The request is larger than 32 MiB.", { connection: "close" });
  }

  /** Answers a request. Never rejects: what goes wrong is sent to the client in its provider's format. */
  async handle(incoming: Incoming, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = openCall(incoming, request, response, this.#options.secrets);
    const { provider, seen, read } = call;
    this.#calls += 1;
    if (this.requests.length < maxSeenRequests) this.requests.push(seen);
    const fault = this.#options.faults.find(({ call }) => call === this.#calls);
    if (fault?.status !== undefined) {
      read();
      const headers: Record<string, string> =
        fault.retryAfterS === undefined ? {} : { "retry-after": String(fault.retryAfterS) };
      const message = `Tapedeck sends this ${fault.status}, because the test asks for it.`;
      return sendError(response, provider, fault.status, message, headers);
    }
    const run = this.#answer(call, fault).catch((error) => {
      const reason = error instanceof Error ? error.message : String(error);
      const miss = error instanceof UpstreamError ? this.#addUnanswered(call) : undefined;
      const message = miss ? `${reason}\n${describeMiss(miss)}` : reason;
      this.#report.notes.push(reason);
      const status = error instanceof UpstreamError ? 502 : 500;
      if (response.headersSent) response.destroy();
      else sendError(response, provider, status, message, { "x-should-retry": "false" });
    });
    this.#running.add(run);
    await run.finally(() => {
      read();
      this.#running.delete(run);
    });
  }

  async #answer(call: Call, fault: CallFault | undefined): Promise<void> {
    const { mode, isExact } = this.#options;
    if (mode === "live") return this.#pass(call);
    if (mode === "record") return this.#record(call, this.#replacement ?? this.#tape);
    // Nothing is left that could match, so the request need not be read before it is sent on.
    if (mode === "auto" && this.#tape.exchanges.every(({ isPlayed }) => isPlayed))
      return this.#record(call, this.#tape);
    const { asked } = call.read();
    const match = this.#tape.take(call.provider, asked, { isExact });
    if (match.kind === "match") {
      if (match.differences.length > 0) {
        this.#report.accepted.push({ file: match.exchange.file, differences: match.differences });
      }
      return this.#play(call, match.exchange, fault);
    }
    if (mode === "auto") return this.#record(call, this.#tape);
    const miss = this.#addMiss(asked, match);
    sendError(call.response, call.provider, 424, describeMiss(miss), { "x-should-retry": "false" });
  }

  #addMiss({ method, path }: TapeRequest, { reason, findNearest }: Missed): Miss {
    const found = findNearest();
    const nearest = found && { file: found.exchange.file, differences: found.differences };
    const miss = { test: this.test, request: `${method} ${path}`, reason, nearest };
    this.#report.misses.push(miss);
    return miss;
  }

  /** Adds a miss for a request that the provider has not answered, if the test has a tape that could have it. */
  #addUnanswered(call: Call): Miss | undefined {
    const { mode, isExact } = this.#options;
    if (mode !== "auto" || this.#tape.exchanges.length === 0) return undefined;
    const { asked } = call.read();
    const match = this.#tape.find(call.provider, asked, { isExact });
    return match.kind === "miss" ? this.#addMiss(asked, match) : undefined;
  }

  async #play({ response, provider }: Call, exchange: Exchange, asked: CallFault | undefined): Promise<void> {
    const verified = await this.#tape.readAnswer(exchange);
    const { speed, maxAgeDays } = this.#options;
    const recordedAt = new Date(verified.cassette.provenance.recorded_at);
    const ageDays = (this.#now().getTime() - recordedAt.getTime()) / dayMs;
    if (maxAgeDays !== undefined && ageDays > maxAgeDays) {
      const date = recordedAt.toISOString().slice(0, 10);
      this.#report.notes.push(`${exchange.file} is from ${date}, more than ${maxAgeDays} days old: record it again.`);
    }
    const { schedule } = openRecording(toRecording(verified), speed);
    const { status, headers } = verified.cassette.response;
    const contentType = headers["content-type"] ?? "application/json";
    const opened = { status, headers: { "Content-Type": contentType }, schedule };
    const { fault, headers: added, notes } = seedFault(asked, exchange.file);
    this.#report.notes.push(...notes);
    const replay = fault ? applyCallFault(opened, fault, provider) : opened;
    this.#report.played += 1;
    if (fault?.firstByteMs !== undefined) await wait(fault.firstByteMs);
    const isHurried = speed === Number.POSITIVE_INFINITY && isRetried(status);
    response.writeHead(status, {
      ...headers,
      ...(isHurried ? { "retry-after-ms": "1" } : {}),
      "x-tapedeck": "played",
      "x-tapedeck-file": exchange.file,
      ...added,
    });
    response.flushHeaders();
    playToResponse(replay, response);
  }

  async #record(call: Call, tape: Tape): Promise<void> {
    const { provider, incoming, secrets } = call;
    const file = tape.reserveFile();
    const { finish, problem, ...answer } = await this.#forward(call, "recorded");
    const { asked, redactions } = call.read();
    const { notes } = this.#report;
    try {
      if (answer.status === 401 || answer.status === 403) this.#addUnanswered(call);
      const stored = await storeExchange(tape, {
        ...{ file, provider, request: asked, redactions, answer, problem, secrets },
        origin: {
          ...{ kind: "recorded", timing: "measured", clock: "monotonic", boundary: "http-read" },
          source: { base_url: upstreamUrl(incoming.upstream.baseUrl, incoming).origin },
        },
        recordedAt: this.#now(),
      });
      notes.push(...stored.notes);
      if (stored.cassette) {
        this.#report.recorded += 1;
        this.#report.redactions += stored.cassette.request.redactions.length;
      }
    } catch (error) {
      // The client has its answer all the same.
      this.#hasUnwritten = true;
      notes.push(`The answer to ${asked.method} ${asked.path} was not stored: ${explainFailure(error)}.`);
    } finally {
      finish();
    }
  }

  async #pass(call: Call): Promise<void> {
    const { finish } = await this.#forward(call, "live");
    call.read();
    finish();
  }

  #forward({ incoming, request, response }: Call, marker: string) {
    const url = upstreamUrl(incoming.upstream.baseUrl, incoming);
    const { headers, method = "GET" } = request;
    const { signal } = this.#forwarding;
    return forward({ url, method, headers, body: incoming.body, signal }, response, { "x-tapedeck": marker });
  }
}
