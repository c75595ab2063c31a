import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import { connect, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { LRUCache } from "lru-cache";
import { getExtensionData, readTlsClientHello } from "read-tls-client-hello";
import type { CertificateAuthority } from "./certificate-authority";

/** Header of a tunnel whose client waits for no answer to its CONNECT. */
export const silentHeader = "x-tapedeck-silent";
/**
 * Header with the process that opened a tunnel or sent a request, where it can say so, or with the mark of a test: the one
 * for whose request a server sends this one.
 */
export const processHeader = "x-tapedeck-process";

/** Where a request was going, and from which process. */
export type Target = { isSecure: boolean; host: string; process: string | null };

export type InterceptorHandlers = {
  request: (target: Target, request: IncomingMessage, response: ServerResponse) => void;
  upgrade: (target: Target, request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /**
   * Returns the address of a host whose connections pass as they are: its client speaks no HTTP/1.1, or does not trust the
   * certificates of this run. Null: its connections are closed.
   */
  bypass: (host: string) => { host: string; port: number } | null;
  /** Returns whether all of a process's connections to a host are read, whatever they speak. */
  isRequired: (host: string, process: string | null) => Promise<boolean>;
  /** A client did not trust the certificate for a host, or sent no request there: some close such a connection without a word. */
  unused: (host: string, process: string | null, isUntrusted: boolean) => void;
};

/** Maximum TLS servers that are kept; the least recently used one is dropped, and its connections stay open. */
const maxServerCount = 1_000;

type Tunnel = { host: string; port: number; process: string | null; isUsed: boolean };

/** Returns host and port of an authority such as `api.example.com:443` or `[::1]:443`. */
function parseAuthority(authority: string): { host: string; port: number } | null {
  const [, host = "", port = ""] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(authority) ?? [];
  return host === "" || Number(port) > 65_535 ? null : { host: host.toLowerCase(), port: Number(port) };
}

/** Returns a host with its port, if that is not the usual one. */
export function hostWithPort(host: string, port: number, isSecure: boolean): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return port === (isSecure ? 443 : 80) ? name : `${name}:${port}`;
}

function sentProcess({ [processHeader]: sent }: IncomingHttpHeaders): string | null {
  return typeof sent === "string" && sent !== "" ? sent.slice(0, 100) : null;
}

/** Returns the process that a request names, or a client of a proxy as its user. */
export function processOf(headers: IncomingHttpHeaders): string | null {
  const sent = sentProcess(headers);
  if (sent !== null) return sent;
  const [, encoded = ""] = /^basic\s+(\S+)$/i.exec(headers["proxy-authorization"] ?? "") ?? [];
  const [user = ""] = Buffer.from(encoded, "base64").toString("utf8").split(":");
  return user === "" ? null : user.slice(0, 100);
}

/** Passes on what two sides of a connection send, until one of them closes. */
export function pipeBoth(one: Duplex, other: Duplex): void {
  const close = () => {
    one.destroy();
    other.destroy();
  };
  for (const side of [one, other]) side.on("error", close).on("close", close);
  one.pipe(other).pipe(one);
}

/** Reads requests out of tunnels: those of TLS connections with a certificate of its own for each host. */
export class Interceptor {
  readonly #authority: CertificateAuthority;
  readonly #handlers: InterceptorHandlers;
  /**
   * A server for each host, with its port, that clients name. One server with an SNICallback would not do: after a
   * HelloRetryRequest, the contexts that the callback returns negotiate no protocol (Node.js 22 and 24, OpenSSL 3.5),
   * and clients of HTTP/2 fail.
   */
  readonly #secure = new LRUCache<string, Http2SecureServer, string>({
    max: maxServerCount,
    memoMethod: (host, _stale, { context: name }) => this.#createSecure(host, name),
  });
  readonly #plain = createServer();
  /** Tunnels by the port from which the client reached the proxy: a TLS socket does not know the one below it. */
  readonly #tunnels = new Map<number, Tunnel>();
  readonly #sockets = new Map<Socket, Tunnel>();
  /** Hosts to which clients opened a connection and sent no request. */
  readonly #unused = new Set<string>();
  readonly #reached = new Set<string>();

  constructor(authority: CertificateAuthority, handlers: InterceptorHandlers) {
    this.#authority = authority;
    this.#handlers = handlers;
    this.#serve(this.#plain, false);
  }

  #serve(server: Server, isSecure: boolean): void {
    server.requestTimeout = 0;
    server.keepAliveTimeout = 0;
    server.on("request", (request, response) =>
      this.#handlers.request(this.#targetOf(request, isSecure), request, response),
    );
    server.on("upgrade", (request, socket, head) =>
      this.#handlers.upgrade(this.#targetOf(request, isSecure), request, socket, head),
    );
  }

  #createSecure(host: string, name: string): Http2SecureServer {
    const server = createSecureServer({ allowHTTP1: true, ...this.#authority.certificateFor(name) });
    this.#serve(server as unknown as Server, true);
    server.on("tlsClientError", (error: NodeJS.ErrnoException, { remotePort = 0 }) => {
      const isUntrusted = /ALERT_(?:UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN)/.test(error.code ?? "");
      if (isUntrusted) this.#handlers.unused(host, this.#tunnels.get(remotePort)?.process ?? null, true);
    });
    server.on("sessionError", () => undefined);
    return server;
  }

  /** Certificate of the authority, in PEM. */
  get certificate(): string {
    return this.#authority.pem;
  }

  /** Takes a tunnel that a client asks for with CONNECT. */
  async take(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const place = parseAuthority(request.url ?? "");
    if (!place) return void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
    const port = socket.remotePort ?? 0;
    const host = hostWithPort(place.host, place.port, true);
    const tunnel = { ...place, process: processOf(request.headers), isUsed: false };
    this.#tunnels.set(port, tunnel);
    this.#sockets.set(socket, tunnel);
    socket.once("close", () => {
      this.#tunnels.delete(port);
      this.#sockets.delete(socket);
      if (tunnel.isUsed) return;
      this.#unused.add(host);
      this.#handlers.unused(host, tunnel.process, false);
    });
    if (!(silentHeader in request.headers)) socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) socket.unshift(head);
    const hello = await readTlsClientHello(socket).catch(() => null);
    if (socket.destroyed) return;
    if (!hello) return void this.#plain.emit("connection", socket);
    const { protocols = [] } = getExtensionData(hello, "alpn") ?? {};
    const isRequired = await this.#handlers.isRequired(host, tunnel.process);
    if (socket.destroyed) return;
    if (!isRequired) {
      // gRPC, whose messages need not be read: no model that is known answers it.
      const isGrpc = protocols.length === 1 && protocols[0] === "h2";
      if (isGrpc || (this.#unused.has(host) && !this.#reached.has(host))) {
        tunnel.isUsed = true;
        return this.#bypass(host, socket);
      }
    }
    // A client that does not trust the certificate closes its side without a word, and would be waited for otherwise.
    (socket as Socket & { allowHalfOpen: boolean }).allowHalfOpen = false;
    const name = (getExtensionData(hello, "sni")?.serverName || place.host).toLowerCase();
    this.#secure.memo(hostWithPort(name, place.port, true), { context: name }).emit("connection", socket);
  }

  #bypass(host: string, socket: Socket): void {
    const address = this.#handlers.bypass(host);
    if (!address) return void socket.destroy();
    pipeBoth(socket, connect(address));
  }

  #targetOf({ socket, headers }: IncomingMessage, isSecure: boolean): Target {
    const { remotePort, servername } = socket as Socket & { servername?: string | false };
    const tunnel = this.#tunnels.get(remotePort ?? 0);
    if (tunnel) {
      tunnel.isUsed = true;
      this.#reached.add(hostWithPort(tunnel.host, tunnel.port, true));
    }
    const authority = headers[":authority"] ?? headers.host ?? "";
    // A client that looks up names itself asks for an address.
    const name = tunnel && isIP(tunnel.host) && servername ? servername : tunnel?.host;
    const host = tunnel && name ? hostWithPort(name, tunnel.port, isSecure) : String(authority).toLowerCase();
    return { isSecure, host, process: sentProcess(headers) ?? tunnel?.process ?? null };
  }

  isReached(host: string): boolean {
    return this.#reached.has(host);
  }

  /** Closes the connections over which no request came. */
  async closeUnused(): Promise<void> {
    const unused = [...this.#sockets].filter(([, { isUsed }]) => !isUsed);
    await Promise.all(unused.map(([socket]) => once(socket.destroy(), "close")));
  }

  close(): void {
    for (const socket of this.#sockets.keys()) socket.destroy();
  }
}
