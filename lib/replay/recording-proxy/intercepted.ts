import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Duplex, Readable } from "node:stream";
import { parseBoundedJson } from "#lib/platform/bounded-json";
import {
  CertificateAuthority,
  findModelHost,
  Interceptor,
  isModelCall,
  type ModelHost,
  mayBeModelCall,
  processOf,
  type Target,
} from "#lib/replay/interception/index";
import { http, type Provider, providers } from "#lib/replay/providers/index";
import type { Mode, TapeConfig } from "./config";
import { decodeRequest } from "./decode-request";
import { type HostAddress, maxHostCount, OutsideHosts, trustAdvice } from "./outside";
import { sendError } from "./proxy-faults";
import { readBody } from "./proxy-http";
import type { TestSession } from "./test-session";
import type { TestSessions } from "./test-sessions";
import { addressAt, type Upstream } from "./upstreams";
import type { Upgrade } from "./web-sockets/relay";

const untrusting = {
  reason: "Its client connected and sent no request: it seems not to trust the certificate of this run",
  advice: `${trustAdvice}.`,
};

export type InterceptedOptions = { config: TapeConfig; mode: Mode; isStrict: boolean; tests: TestSessions };

function jsonOf(body: Uint8Array): unknown {
  try {
    return parseBoundedJson(Buffer.from(body).toString("utf8"));
  } catch {
    return null;
  }
}

/** Answers the requests that clients send to hosts, without knowing of the proxy: calls of models, and all others. */
export class Intercepted {
  readonly outside: OutsideHosts;
  readonly #options: InterceptedOptions;
  readonly #interceptor: Interceptor;
  /** Hosts of models with a connection over which no request came: the client's test, and whether it told the reason. */
  readonly #unused = new Map<string, { test: string; isUntrusted: boolean }>();
  #adding: Promise<void> = Promise.resolve();

  constructor(options: InterceptedOptions) {
    this.#options = options;
    this.outside = new OutsideHosts(options.isStrict);
    this.#interceptor = new Interceptor(new CertificateAuthority(), {
      request: (target, request, response) => void this.handle(target, request, response),
      upgrade: (target, request, socket, head) =>
        void this.#upgrade(target, request, socket, head).catch(() => socket.destroy()),
      bypass: (host) => this.#bypass(host),
      isRequired: async (host, process) => (await this.#modelHost({ host, process })) !== undefined,
      unused: (...connection) => {
        this.#adding = this.#adding.then(() => this.#addUnused(...connection)).catch(() => undefined);
      },
    });
  }

  get certificate(): string {
    return this.#interceptor.certificate;
  }

  /** Takes the tunnel of a CONNECT. */
  connect(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    void this.#interceptor.take(request, socket as Socket, head).catch(() => socket.destroy());
  }

  close(): void {
    this.#interceptor.close();
  }

  /** Counts the clients that connected with a model's host but sent no request. */
  async countUnused(): Promise<void> {
    await this.#interceptor.closeUnused();
    await this.#adding;
    if (this.#options.mode === "live") return;
    for (const [host, { test, isUntrusted }] of this.#unused) {
      // A client that trusts the certificate may open a connection in advance.
      if (!isUntrusted && this.#interceptor.isReached(host)) continue;
      (await this.#options.tests.open(test)).addRefused(`CONNECT ${host}`, host, untrusting);
    }
  }

  /** Returns what a host speaks: one whose requests are on the tape counts as if the configuration named it. Throws TapeError. */
  async #modelHost({ host, process }: Pick<Target, "host" | "process">): Promise<ModelHost | undefined> {
    const { config, tests } = this.#options;
    const known = findModelHost(host, config.hosts);
    return known ?? ((await tests.plays(process, host)) ? findModelHost(host, [host]) : undefined);
  }

  #addressOf({ isSecure, host }: Target, place: string): HostAddress {
    const origin = addressAt(this.#options.config.addresses, host) ?? `${isSecure ? "https" : "http"}://${host}`;
    return { url: new URL(`${origin.replace(/\/+$/, "")}${place}`), host };
  }

  /** Answers a request whose URL names its host, as clients send it to a proxy for plain HTTP. */
  handleAbsolute(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.url = `${url.pathname}${url.search}`;
    const target = { isSecure: url.protocol === "https:", host: url.host, process: processOf(request.headers) };
    return this.handle(target, request, response);
  }

  async handle(target: Target, request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#route(target, request, response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else sendError(response, http, 502, (error as Error).message, { "x-should-retry": "false" });
    }
  }

  async #route(target: Target, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/" } = request;
    const [path = "/", query = ""] = url.split(/\?(.*)/s);
    const known = await this.#modelHost(target);
    if (known && !known.other?.test(path)) return this.#call(target, known.providers, null, request, response);
    const { mode, isStrict } = this.#options;
    if (known && (mode === "replay" || isStrict)) {
      response.writeHead(method === "GET" ? 404 : 204, { "x-tapedeck": "not-recorded" });
      return void response.end();
    }
    const address = this.#addressOf(target, query === "" ? path : `${path}?${query}`);
    if (known || !mayBeModelCall(method, path)) return this.outside.answer(address, request, response, null);
    const body = await readBody(request);
    if (body instanceof Readable) return this.outside.answer(address, request, response, body);
    if (isModelCall(method, path, jsonOf(decodeRequest(body, request.headers["content-encoding"]).body)))
      return this.#call(target, [http, ...providers], body, request, response);
    return this.outside.answer(address, request, response, body);
  }

  /** Answers a call of a model. `known` is its body, if it has been read. */
  async #call(
    target: Target,
    speaks: readonly Provider[],
    known: Uint8Array | null,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { session, ...call } = await this.#callOf(target, speaks, request);
    const body = known ?? (await readBody(request));
    if (body instanceof Readable) return session.handleLong({ ...call, body }, request, response);
    await session.handle({ ...call, body }, request, response);
  }

  async #callOf({ isSecure, host, process }: Target, speaks: readonly Provider[], { url = "/" }: IncomingMessage) {
    const { config, tests } = this.#options;
    const [path = "/", query = ""] = url.split(/\?(.*)/s);
    const baseUrl = `${isSecure ? "https" : "http"}://${host}`;
    const address = addressAt(config.addresses, host);
    const upstream: Upstream = { name: host, baseUrl, providers: speaks, host, address };
    const session: TestSession = await tests.open(tests.testOf(process));
    return { session, upstream, path, query };
  }

  /** Answers an upgrade whose URL names its host. */
  upgradeAbsolute(url: URL, { request, socket, head }: Upgrade): Promise<void> {
    request.url = `${url.pathname}${url.search}`;
    const target = { isSecure: false, host: url.host, process: processOf(request.headers) };
    return this.#upgrade(target, request, socket, head);
  }

  async #upgrade(target: Target, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const model = await this.#modelHost(target);
    if (this.#options.mode === "live" || !model)
      return this.outside.upgrade(this.#addressOf(target, request.url ?? "/"), request, socket, head);
    const { session, ...call } = await this.#callOf(target, model.providers, request);
    return session.upgrade({ ...call, body: new Uint8Array() }, { request, socket, head });
  }

  #bypass(host: string): { host: string; port: number } | null {
    if (!this.outside.admit(host)) return null;
    const { url } = this.#addressOf({ isSecure: true, host, process: null }, "/");
    return { host: url.hostname, port: Number(url.port) || 443 };
  }

  async #addUnused(host: string, process: string | null, isUntrusted: boolean): Promise<void> {
    const isModel = (await this.#modelHost({ host, process })) !== undefined;
    const known = this.#unused.get(host);
    if (isModel) {
      if (known ? isUntrusted : this.#unused.size < maxHostCount)
        this.#unused.set(host, { test: this.#options.tests.testOf(process), isUntrusted });
    } else if (isUntrusted) this.outside.addUntrusted(host);
  }
}
