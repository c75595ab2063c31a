import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { describeIssue } from "#lib/platform/describe-issue";
import { requireProvider } from "#lib/replay/providers/index";
import { defaultTest, type Mode, modes, type SessionOptions, speedSettingSchema, type TapeConfig } from "./config";
import { faultSchema, sendError } from "./proxy-faults";
import { type Refusal, refuseControl, refusePage, refusePath } from "./refuse-request";
import { describeMiss, emptyReport, type SessionReport } from "./session-report";
import { listTapeFolders, readTapeFile } from "./tape-file";
import { placeTape } from "./tape-place";
import { abandonedRemover } from "./tape-replacement";
import { TestSession } from "./test-session";
import { type NamedTape, UnopenedTapes } from "./unopened-tapes";
import { baseUrlAt, checkBaseUrls, protocolPath, type Upstream, upstreamsOf } from "./upstreams";

/** Whose error format is used where no upstream is known. */
const fallbackProvider = requireProvider("openai-chat");

/** Largest request body, in bytes. */
const maxBodyByteSize = 32 * 1024 * 1024;
/** Most tests of one proxy. */
const maxSessionCount = 100_000;
/** First segment of paths that control the proxy instead of reaching an upstream. */
const controlSegment = "__tapedeck";

const beginSchema = z.strictObject({
  mode: z.enum(modes).optional(),
  speed: speedSettingSchema.optional(),
  volatile: z.array(z.string().startsWith("/")).max(100).optional(),
  faults: z.array(faultSchema).max(1000).optional(),
  exact: z.boolean().optional(),
});
/** What a test sets for itself. */
export type TestOptions = z.input<typeof beginSchema>;

const endSchema = z.strictObject({ passed: z.boolean().default(true) });

export type ProxyOptions = {
  config: TapeConfig;
  mode: Mode;
  environment: Readonly<Record<string, string | undefined>>;
  /** Default: any free port. */
  port?: number;
};

type Route = { test: string; segments: string[]; query: string };

/** Returns the parts of a request's URL; null if the name of the test is not encoded correctly. */
function parseRoute(url: string): Route | null {
  const [path = "", query = ""] = url.split(/\?(.*)/s);
  const segments = path.split("/").slice(1);
  const [first, second, ...rest] = segments;
  if (first !== "t" || second === undefined) return { test: defaultTest, segments, query };
  try {
    return { test: decodeURIComponent(second), segments: rest, query };
  } catch {
    return null;
  }
}

async function readBody(request: IncomingMessage): Promise<Uint8Array | null> {
  const pieces: Buffer[] = [];
  let byteSize = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    byteSize += piece.length;
    if (byteSize > maxBodyByteSize) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function speedOf(speed: TapeConfig["speed"]): number {
  if (speed === "max") return Number.POSITIVE_INFINITY;
  return speed === "recorded" ? 1 : speed;
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Records what tests ask model providers, and plays it again. It listens on the loopback only. */
export class RecordingProxy {
  /** What requests that control the proxy have to send, so that only this run's tests do. */
  readonly token = randomBytes(24).toString("base64url");
  readonly #server: Server;
  readonly #options: ProxyOptions;
  readonly #upstreams: ReadonlyMap<string, Upstream>;
  readonly #sessions = new Map<string, Promise<TestSession>>();
  /** Folder of each test's tape. */
  readonly #folders = new Map<string, string>();
  readonly #cleanBeside: (folder: string) => Promise<void>;
  readonly #unopened: UnopenedTapes;
  /** Reports of tests whose tape could not be read. */
  readonly #failed = new Map<string, SessionReport>();

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#cleanBeside = abandonedRemover(options.config.tapes);
    this.#unopened = new UnopenedTapes(options.config.tapes, (tape) => this.#isOpened(tape));
    const upstreams = upstreamsOf(options.config.upstreams, options.environment);
    this.#upstreams = new Map(upstreams.map((upstream) => [upstream.name, upstream]));
    this.#server = createServer((request, response) => {
      this.#route(request, response).catch((error: unknown) => {
        if (response.headersSent) return response.destroy();
        const [name = ""] = parseRoute(request.url ?? "/")?.segments ?? [];
        const provider = this.#upstreams.get(name)?.providers[0] ?? fallbackProvider;
        sendError(response, provider, 500, (error as Error).message, { "x-should-retry": "false" });
      });
    });
    // A test that is stopped in a debugger may take any time to send its request.
    this.#server.requestTimeout = 0;
    // Only the client closes idle connections: a busy one could send a request on a connection that has just been closed.
    this.#server.keepAliveTimeout = 0;
  }

  /** Starts a proxy. Rejects with the system's error if the port is taken, and with TapeError if a base URL is not one. */
  static async start(options: ProxyOptions): Promise<RecordingProxy> {
    checkBaseUrls(options.environment);
    const proxy = new RecordingProxy(options);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once("error", reject);
      proxy.#server.listen(options.port ?? 0, "127.0.0.1", () => resolve());
    });
    return proxy;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Lets the process end although the proxy runs. */
  unref(): void {
    this.#server.unref();
  }

  /** Returns the URL of a test, in front of the name of an upstream. */
  urlOf(test: string): string {
    return `${this.origin}/t/${encodeURIComponent(test)}`;
  }

  /** Returns the base URL of an upstream for a test's client. */
  baseUrl(test: string, upstream: string): string {
    return baseUrlAt(this.urlOf(test), upstream);
  }

  /** Starts a test, again if it ran before. Throws TapeError. */
  async begin(test: string, options: TestOptions = {}): Promise<TestSession> {
    const isKnown = this.#sessions.has(test);
    const session = await this.#session(test, options);
    if (isKnown) await session.begin(this.#sessionOptions(options));
    return session;
  }

  /** Ends a test; in mode `record` its tape is replaced if it has passed. */
  async end(test: string, hasPassed = true): Promise<SessionReport | undefined> {
    return (await this.#sessions.get(test))?.end(hasPassed);
  }

  /** Returns reports of the tapes that no request asked for. Throws TapeError. */
  async unopenedTapes(): Promise<SessionReport[]> {
    const opened = await Promise.allSettled(this.#sessions.values());
    const known = new Set(opened.flatMap((result) => (result.status === "fulfilled" ? [result.value.folder] : [])));
    const folders = (await listTapeFolders(this.#options.config.tapes)).filter((folder) => !known.has(folder));
    return Promise.all(
      folders.map(async (folder) => {
        const { test, exchanges } = (await readTapeFile(folder, this.#options.config.tapes)) ?? {
          test: folder,
          exchanges: [],
        };
        return { ...emptyReport(test, folder), unused: exchanges.map(({ file }) => file) };
      }),
    );
  }

  /** Waits for what is being recorded, ends every test, and closes the server. */
  async stop(hasPassed = true): Promise<SessionReport[]> {
    const sessions = await Promise.allSettled(this.#sessions.values());
    const ended = sessions.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    const reports = await Promise.all(
      ended.map(async (session) => {
        await session.end(hasPassed);
        const report = session.total();
        for (const miss of report.misses) if (miss.other && this.#isOpened(miss.other)) delete miss.other;
        return report;
      }),
    );
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    reports.push(...this.#failed.values());
    return reports.sort((a, b) => (a.test < b.test ? -1 : 1));
  }

  #isOpened({ test, folder }: NamedTape): boolean {
    return this.#folders.get(test) === folder;
  }

  #sessionOptions({ mode, speed, volatile = [], faults = [], exact }: TestOptions): SessionOptions {
    const { config } = this.#options;
    return {
      mode: mode ?? this.#options.mode,
      speed: speedOf(speed ?? config.speed),
      volatile: [...config.volatile, ...volatile],
      secrets: config.redact,
      isExact: exact ?? config.exact,
      faults: faults.map((fault) => faultSchema.parse(fault)),
      maxAgeDays: config.max_age,
    };
  }

  #session(test: string, options: TestOptions = {}): Promise<TestSession> {
    const known = this.#sessions.get(test);
    if (known) return known;
    if (this.#sessions.size >= maxSessionCount)
      throw new Error(`The proxy has ${maxSessionCount} tests; start another one.`);
    const { tapes: root } = this.#options.config;
    const folder = this.#folders.get(test) ?? placeTape(root, test, this.#folders.values());
    this.#folders.set(test, folder);
    const opened = this.#cleanBeside(folder).then(() =>
      TestSession.open({ root, folder }, test, this.#sessionOptions(options), { unopened: this.#unopened }),
    );
    this.#sessions.set(test, opened);
    opened.then(
      () => this.#failed.delete(test),
      (error: Error) => {
        // A tape that cannot be read may be repaired while the proxy runs.
        this.#sessions.delete(test);
        this.#failed.set(test, { ...emptyReport(test, folder), unreadable: 1, notes: [`${error.message}.`] });
      },
    );
    return opened;
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = ({ status, error }: Refusal) => sendJson(response, status, { error });
    const route = parseRoute(request.url ?? "/");
    const page = refusePage(request);
    if (page) return refuse(page);
    if (!route) return refuse({ status: 400, error: "The name of the test in the URL is not encoded correctly." });
    const { test, segments, query } = route;
    const [name = "", ...rest] = segments;
    const isControl = name === controlSegment;
    const refusal = isControl ? refuseControl(request.method, request.headers, this.token) : refusePath(segments);
    if (refusal) return refuse(refusal);
    const body = await readBody(request);
    const upstream = this.#upstreams.get(name);
    if (isControl && body) return this.#control(test, rest.join("/"), body, response);
    if (!upstream) {
      const known = [...this.#upstreams.keys()].map((each) => `/${each}`).join(", ");
      return sendJson(response, 404, { error: `There is no upstream "${name}". The proxy has ${known}.` });
    }
    const session = await this.#session(test);
    const place = { upstream, path: protocolPath(upstream, `/${rest.join("/")}`) };
    if (body === null) return session.refuse(place, request.method ?? "GET", response);
    await session.handle({ ...place, query, body }, request, response);
  }

  /** Requests of fixtures: `begin`, `end`, `requests` and `report` of a test. */
  async #control(test: string, action: string, body: Uint8Array, response: ServerResponse): Promise<void> {
    const refuse = (error: string) => sendJson(response, 400, { error });
    let json: unknown = {};
    try {
      if (body.length > 0) json = JSON.parse(Buffer.from(body).toString("utf8"));
    } catch (error) {
      return refuse(`The body is not valid JSON: ${(error as Error).message}`);
    }
    switch (action) {
      case "begin": {
        const options = beginSchema.safeParse(json);
        if (!options.success) return refuse(describeIssue(options.error, "the options"));
        await this.begin(test, options.data);
        return sendJson(response, 200, { url: this.urlOf(test) });
      }
      case "end": {
        const options = endSchema.safeParse(json);
        if (!options.success) return refuse(describeIssue(options.error, "the options"));
        return sendJson(response, 200, (await this.end(test, options.data.passed)) ?? null);
      }
      case "requests":
        return sendJson(response, 200, (await this.#session(test)).requests);
      case "report": {
        const { misses, ...report } = (await this.#session(test)).report();
        const described = misses.map((miss) => ({ ...miss, message: describeMiss(miss) }));
        return sendJson(response, 200, { ...report, misses: described });
      }
      default:
        return sendJson(response, 404, { error: `There is no /${controlSegment}/${action}.` });
    }
  }
}
