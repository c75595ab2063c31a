import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import * as z from "zod";
import { commandFor } from "#lib/platform/command-line";
import { describeIssue } from "#lib/platform/describe-issue";
import { upstreamUrl } from "#lib/replay/cassettes/index";
import { localName, processOf } from "#lib/replay/interception/index";
import { requireProvider } from "#lib/replay/providers/index";
import { answerPreflight, isPreflight, letPageRead } from "./allow-page";
import { defaultTest, watchConfig } from "./config";
import { UpstreamError } from "./forward";
import { Intercepted } from "./intercepted";
import type { OutsideReport } from "./outside";
import { sendError } from "./proxy-faults";
import { parseRoute, readBody, sendJson } from "./proxy-http";
import { maskText, secretsOf } from "./read-request";
import { type Refusal, refuseControl, refusePage, refusePath } from "./refuse-request";
import type { SessionReport } from "./report";
import { describeMiss } from "./session-report";
import type { Outcome } from "./store-call";
import type { TestSession } from "./test-session";
import { type TestOptions, TestSessions, type TestSettings, testOptionsSchema } from "./test-sessions";
import { baseUrlAt, checkBaseUrls, protocolPath, type Upstream, upstreamsOf } from "./upstreams";
import { errorAnswer, refuseUpgrade } from "./web-sockets/answer-upgrade";
import type { Upgrade } from "./web-sockets/relay";

/** Whose error format is used where no upstream is known. */
const fallbackProvider = requireProvider("openai-chat");

/** Maximum number of origins of web pages whose refusal is reported. */
const maxToldPageCount = 20;

/** First segment of paths that control the proxy instead of reaching an upstream. */
const controlSegment = "__tapedeck";

const endSchema = z.strictObject({ passed: z.boolean().default(true) });

export type ProxyOptions = Pick<
  TestSettings,
  "config" | "mode" | "place" | "recordedAgain" | "keepsFailed" | "warn"
> & {
  environment: Readonly<Record<string, string | undefined>>;
  /** Default: any free port. */
  port?: number;
  /** Servers on this machine that tapes have: they are intercepted too. Default: none. */
  localHosts?: readonly string[];
  /** Whether requests to hosts that are no models' are refused. */
  isStrict?: boolean;
  /** The command that records what a replay misses. Default: one that names no command to run. */
  recordCommand?: string;
};

/** Records what tests ask model providers, and plays it again. It listens on the loopback only. */
export class RecordingProxy {
  /** What requests that control the proxy have to send, so that only this run's tests do. */
  readonly token = randomBytes(24).toString("base64url");
  readonly #server: Server;
  readonly #options: ProxyOptions;
  readonly #upstreams: ReadonlyMap<string, Upstream>;
  readonly #tests: TestSessions;
  #intercepted: Intercepted | undefined;
  /** Origins of web pages whose refusal was reported: the pages cannot read it themselves. */
  readonly #toldPages = new Set<string>();
  readonly #unwatch: () => void;

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#unwatch = watchConfig(options.config, options.warn);
    const secrets = secretsOf(options.environment);
    const recordCommand = maskText(options.recordCommand ?? commandFor("run", { mode: "auto" }), secrets);
    this.#tests = new TestSessions({ ...options, recordCommand, secrets });
    const upstreams = upstreamsOf(options.config.upstreams, options.environment, options.config.addresses);
    this.#upstreams = new Map(upstreams.map((upstream) => [upstream.name, upstream]));
    this.#server = createServer((request, response) => {
      this.#route(request, response).catch((error: unknown) => {
        if (response.headersSent) return response.destroy();
        const [name = ""] = parseRoute(request.url ?? "/")?.segments ?? [];
        const provider = this.#upstreams.get(name)?.providers[0] ?? fallbackProvider;
        const status = error instanceof UpstreamError ? 502 : 500;
        sendError(response, provider, status, (error as Error).message, { "x-should-retry": "false" });
      });
    });
    // A test that is stopped in a debugger may take any time to send its request.
    this.#server.requestTimeout = 0;
    // Only the client closes idle connections: a busy one could send a request on a connection that has just been closed.
    this.#server.keepAliveTimeout = 0;
    this.#server.on("upgrade", (request, socket, head) => {
      socket.on("error", () => socket.destroy());
      this.#upgrade({ request, socket, head }).catch(() => socket.destroy());
    });
    this.#server.on("connect", (request, socket, head) => {
      socket.on("error", () => socket.destroy());
      this.#openIntercepted().connect(request, socket, head);
    });
  }

  /** Puts together what intercepts requests: certificates take time, which base URLs do not need. */
  #openIntercepted(): Intercepted {
    const { config: given, mode, isStrict = false } = this.#options;
    // A tape that is recorded again plays nothing, so that what it has does not count.
    const config = mode === "record" ? { ...given, hosts: [...this.hosts] } : given;
    this.#intercepted ??= new Intercepted({ config, mode, isStrict, tests: this.#tests });
    return this.#intercepted;
  }

  /** Returns the certificate that processes have to trust, in PEM. */
  get certificate(): string {
    return this.#openIntercepted().certificate;
  }

  /** Returns the requests that were not calls of a model, by host. */
  outside(): OutsideReport | undefined {
    return this.#intercepted?.outside.report();
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

  /** The folder of all tapes. */
  get tapes(): string {
    return this.#options.config.tapes;
  }

  /** Whether the configuration or the command line says what recordings are chosen by. */
  get isMatchingSet(): boolean {
    return this.#options.config.match !== undefined;
  }

  /** Hosts that the configuration and the command line name. */
  get namedHosts(): readonly string[] {
    return this.#options.config.hosts;
  }

  /** Whether a host has a base URL at the proxy, as that of a variable such as OPENAI_BASE_URL has. */
  hasUpstream(host: string): boolean {
    const place = localName(host);
    const hosts = [...this.#upstreams.values()].map(
      ({ baseUrl }) => upstreamUrl(baseUrl, { path: "/", query: "" }).host,
    );
    return hosts.some((each) => localName(each) === place);
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Hosts to intercept besides those of providers. */
  get hosts(): readonly string[] {
    const { config, localHosts = [] } = this.#options;
    return [...config.hosts, ...localHosts];
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
  begin(test: string, options: TestOptions = {}): Promise<TestSession> {
    return this.#tests.begin(test, options);
  }

  /** Ends a test; in mode `record` its tape is replaced if it has passed. */
  end(test: string, hasPassed = true): Promise<SessionReport | undefined> {
    return this.#tests.end(test, hasPassed);
  }

  /** Returns reports of the tapes that no request asked for. Throws TapeError. */
  unopenedTapes(): Promise<SessionReport[]> {
    return this.#tests.unopened();
  }

  /** Waits for what is being recorded, ends every test, and closes the server. */
  async stop(outcome: Outcome = "passed"): Promise<SessionReport[]> {
    const intercepted = this.#intercepted;
    await intercepted?.countUnused();
    const reports = await this.#tests.endAll(outcome);
    intercepted?.close();
    this.#unwatch();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    return reports;
  }

  /** Returns the test whose a request with a base URL at the proxy is: the URL's, or that of the app if it names none. */
  #testOf(test: string, { headers }: IncomingMessage): string {
    return test === defaultTest ? this.#tests.testOfUnnamed(processOf(headers)) : test;
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (/^https?:\/\//.test(request.url ?? "")) {
      return this.#openIntercepted().handleAbsolute(new URL(request.url ?? ""), request, response);
    }
    const refuse = ({ status, error }: Refusal) => sendJson(response, status, { error });
    const route = parseRoute(request.url ?? "/");
    const { origins } = this.#options.config;
    const page = refusePage(request, origins);
    const { origin = "" } = request.headers;
    if (page) return refuse(this.#told(page, origin));
    if (origins.includes(origin)) letPageRead(origin, response);
    if (isPreflight(request)) return answerPreflight(request, response);
    if (!route) return refuse({ status: 400, error: "The name of the test in the URL is not encoded correctly." });
    const { test, segments, query } = route;
    const [name = "", ...rest] = segments;
    const isControl = name === controlSegment;
    const refusal = isControl ? refuseControl(request.method, request.headers, this.token) : refusePath(segments);
    if (refusal) return refuse(refusal);
    const body = await readBody(request);
    const upstream = this.#upstreams.get(name);
    if (isControl && !(body instanceof Readable)) return this.#control(test, rest.join("/"), body, response);
    if (!upstream) {
      if (body instanceof Readable) body.resume();
      const known = [...this.#upstreams.keys()].map((each) => `/${each}`).join(", ");
      return sendJson(response, 404, { error: `There is no upstream "${name}". The proxy has ${known}.` });
    }
    const session = await this.#tests.open(this.#testOf(test, request));
    const place = { upstream, path: protocolPath(upstream, `/${rest.join("/")}`) };
    if (body instanceof Readable) return session.handleLong({ ...place, query, body }, request, response);
    await session.handle({ ...place, query, body }, request, response);
  }

  #told(refusal: Refusal, origin = ""): Refusal {
    if (this.#toldPages.has(origin) || this.#toldPages.size === maxToldPageCount) return refusal;
    this.#toldPages.add(origin);
    this.#options.warn?.(refusal.error);
    return refusal;
  }

  /** Answers the upgrade to a WebSocket whose client has a base URL at the proxy. */
  async #upgrade(upgrade: Upgrade): Promise<void> {
    const { request, socket } = upgrade;
    if (/^(?:http|ws):\/\//.test(request.url ?? ""))
      return this.#openIntercepted().upgradeAbsolute(new URL(request.url ?? ""), upgrade);
    const route = parseRoute(request.url ?? "/");
    const [name = "", ...rest] = route?.segments ?? [];
    const upstream = this.#upstreams.get(name);
    const page = refusePage(request, this.#options.config.origins);
    const refusal = page ? this.#told(page, request.headers.origin) : refusePath(rest);
    if (refusal || !route || !upstream) {
      const { status, error } = refusal ?? { status: 404, error: "There is no such upstream." };
      return refuseUpgrade(socket, errorAnswer(fallbackProvider, status, error));
    }
    const session = await this.#tests.open(this.#testOf(route.test, request));
    const path = protocolPath(upstream, `/${rest.join("/")}`);
    await session.upgrade({ upstream, path, query: route.query, body: new Uint8Array() }, upgrade);
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
        const options = testOptionsSchema.safeParse(json);
        if (!options.success) return refuse(describeIssue(options.error, "the options"));
        await this.begin(test, options.data);
        return sendJson(response, 200, { url: this.urlOf(test), upstreams: [...this.#upstreams.keys()] });
      }
      case "end": {
        const options = endSchema.safeParse(json);
        if (!options.success) return refuse(describeIssue(options.error, "the options"));
        return sendJson(response, 200, (await this.end(test, options.data.passed)) ?? null);
      }
      case "requests":
        return sendJson(response, 200, (await this.#tests.open(test)).requests);
      case "report": {
        const { misses, ...report } = (await this.#tests.open(test)).report();
        const described = misses.map((miss) => ({ ...miss, message: describeMiss(miss) }));
        return sendJson(response, 200, { ...report, misses: described });
      }
      default:
        return sendJson(response, 404, { error: `There is no /${controlSegment}/${action}.` });
    }
  }
}
