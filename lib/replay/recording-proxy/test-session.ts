import { rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { dayMs } from "#lib/platform/time";
import { codeOf, toRecording, upstreamUrl, WriteError } from "#lib/replay/cassettes/index";
import { openRecording, playToResponse } from "#lib/replay/playback/index";
import type { Provider } from "#lib/replay/providers/index";
import type { Mode } from "./config";
import { credentialsOf, removeCredentials } from "./credentials";
import { forward, UpstreamError } from "./forward";
import { applyCallFault, type CallFault, sendError } from "./proxy-faults";
import { describeMiss, emptyReport, type SessionReport } from "./session-report";
import { cassetteIdOf, countUnreadableEvents, isComplete, redactRequest, sealExchange } from "./store-exchange";
import { type Exchange, Tape } from "./tape";
import type { TapeRequest } from "./tape-request";
import { providerAt, type Upstream } from "./upstreams";

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

/** A request as the test sees it. */
export type SeenRequest = { method: string; path: string; body: unknown };

type Incoming = { upstream: Upstream; path: string; query: string; body: Uint8Array };

/** Statuses that SDKs retry. At maximum speed they need not wait as long as the provider asked. */
const isRetried = (status: number) => status === 408 || status === 409 || status === 429 || status >= 500;

/** Returns why a recording was not stored. */
function explainFailure(error: unknown): string {
  if (!(error instanceof WriteError)) return error instanceof Error ? error.message : String(error);
  return `${error.path}: ${codeOf(error) === "EEXIST" ? "another run stored it at the same time" : error.reason}`;
}

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
    await session.begin(options);
    return session;
  }

  get folder(): string {
    return this.#tape.folder;
  }

  /** Starts the test, again if it ran before. */
  async begin(options: SessionOptions): Promise<void> {
    await this.settle();
    this.#options = options;
    this.#calls = 0;
    this.#hasUnwritten = false;
    this.requests = [];
    this.#report = emptyReport(this.test, this.folder);
    this.#tape.rewind();
    this.#replacement = undefined;
    if (options.mode !== "record") return;
    const folder = `${this.#tape.folder}.new-${process.pid}`;
    await rm(folder, { recursive: true, force: true });
    this.#replacement = await Tape.open(folder, this.test, [...this.#tape.volatile]);
  }

  /** Waits for answers that are still being recorded. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#running);
    await this.#tape.flush();
    await this.#replacement?.flush();
  }

  /** Ends the test. In mode `record`, the new tape replaces the old one if the test has passed. */
  async end(hasPassed: boolean): Promise<SessionReport> {
    await this.settle();
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
    const parameters = new URLSearchParams(incoming.query);
    const secrets = [...this.#options.secrets, ...credentialsOf(request.headers, parameters)];
    removeCredentials(parameters);
    const method = request.method ?? "GET";
    const provider = providerAt(incoming.upstream, { method, path: incoming.path });
    const seen: SeenRequest = { method, path: incoming.path, body: null };
    let known: ReadRequest | undefined;
    const read = (): ReadRequest => {
      if (known) return known;
      const { body, redactions } = redactRequest(incoming.body, secrets);
      seen.body = body && "json" in body ? body.json : null;
      known = { asked: { method, path: incoming.path, query: parameters.toString(), body }, redactions };
      return known;
    };
    this.#calls += 1;
    this.requests.push(seen);
    const fault = this.#options.faults.find(({ call }) => call === this.#calls);
    if (fault?.status !== undefined) {
      read();
      const headers: Record<string, string> =
        fault.retryAfterS === undefined ? {} : { "retry-after": String(fault.retryAfterS) };
      const message = `Tapedeck sends this ${fault.status}, because the test asks for it.`;
      return sendError(response, provider, fault.status, message, headers);
    }
    const run = this.#answer({ incoming, request, response, provider, read, secrets, fault }).catch((error) => {
      const message = error instanceof Error ? error.message : String(error);
      this.#report.notes.push(message);
      if (response.headersSent) response.destroy();
      else
        sendError(response, provider, error instanceof UpstreamError ? 502 : 500, message, {
          "x-should-retry": "false",
        });
    });
    this.#running.add(run);
    await run.finally(() => {
      read();
      this.#running.delete(run);
    });
  }

  async #answer(call: Call): Promise<void> {
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
      return this.#play(call, match.exchange);
    }
    if (mode === "auto") return this.#record(call, this.#tape);
    const { method, path } = asked;
    const found = match.findNearest();
    const nearest = found && { file: found.exchange.file, differences: found.differences };
    const miss = { test: this.test, request: `${method} ${path}`, reason: match.reason, nearest };
    this.#report.misses.push(miss);
    sendError(call.response, call.provider, 424, describeMiss(miss), { "x-should-retry": "false" });
  }

  async #play({ response, provider, fault }: Call, exchange: Exchange): Promise<void> {
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
    const replay = fault ? applyCallFault(opened, fault, provider) : opened;
    this.#report.played += 1;
    if (fault?.firstByteMs !== undefined) await wait(fault.firstByteMs);
    const isHurried = speed === Number.POSITIVE_INFINITY && isRetried(status);
    response.writeHead(status, {
      ...headers,
      ...(isHurried ? { "retry-after-ms": "1" } : {}),
      "x-tapedeck": "played",
      "x-tapedeck-file": exchange.file,
    });
    response.flushHeaders();
    playToResponse(replay, response);
  }

  async #record(call: Call, tape: Tape): Promise<void> {
    const { provider, incoming, secrets } = call;
    const file = tape.reserveFile();
    const { finish, problem, ...answer } = await this.#forward(call, "recorded");
    const { asked, redactions } = call.read();
    const place = `${asked.method} ${asked.path}`;
    const { notes } = this.#report;
    try {
      if (answer.status === 401 || answer.status === 403) {
        notes.push(`${place} was refused with ${answer.status} and not stored: check the API key.`);
      } else if (answer.status >= 300 && answer.status < 400) {
        notes.push(`${place} was redirected with ${answer.status} and not stored: configure the final URL.`);
      } else if (problem !== undefined || !isComplete(provider, asked, answer)) {
        const why = problem ?? "it ended before the answer was complete";
        notes.push(`The answer to ${place} was not stored: ${why.replace(/\.$/, "")}.`);
      } else {
        const sealed = sealExchange(tape, {
          ...{ file, id: cassetteIdOf(tape, file), provider, request: asked, redactions, answer, secrets },
          baseUrl: new URL(incoming.upstream.baseUrl).origin,
          recordedAt: this.#now(),
        });
        await tape.add(sealed.exchange, sealed.cassette);
        this.#report.recorded += 1;
        this.#report.redactions += sealed.cassette.request.redactions.length;
        const count = countUnreadableEvents(provider, answer);
        if (count > 0)
          notes.push(
            `${count} ${count === 1 ? "event" : "events"} of the answer to ${place} ${count === 1 ? "is not a JSON object" : "are not JSON objects"}, and stored as sent.`,
          );
      }
    } catch (error) {
      // The client has its answer all the same.
      this.#hasUnwritten = true;
      notes.push(`The answer to ${place} was not stored: ${explainFailure(error)}.`);
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
    return forward({ url, method, headers, body: incoming.body }, response, { "x-tapedeck": marker });
  }
}

type ReadRequest = { asked: TapeRequest; redactions: ReturnType<typeof redactRequest>["redactions"] };

type Call = {
  incoming: Incoming;
  request: IncomingMessage;
  response: ServerResponse;
  provider: Provider;
  /** Reads the request, once: masking a long one takes milliseconds, which the client need not wait for. */
  read: () => ReadRequest;
  secrets: readonly string[];
  fault: CallFault | undefined;
};
