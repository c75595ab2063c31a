import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { type Duplex, Readable } from "node:stream";
import { connect as tlsConnect } from "node:tls";
import { localHost, pipeBoth, processHeader } from "#lib/replay/interception/index";
import { passThrough } from "./forward";

export const maxHostCount = 1_000;

/** Requests that are not calls of a model: how many passed and were refused, by host. */
export type OutsideReport = {
  passed: ReadonlyMap<string, number>;
  /** By `--strict`. */
  refused: ReadonlyMap<string, number>;
  /** Hosts whose client did not trust the certificate of the run. */
  untrusted: ReadonlySet<string>;
};

export type HostAddress = { url: URL; host: string };

/** Passes requests to hosts without models, or refuses them, and counts both. */
export class OutsideHosts {
  readonly #passed = new Map<string, number>();
  readonly #refused = new Map<string, number>();
  readonly #untrusted = new Set<string>();

  constructor(readonly isStrict: boolean) {}

  #count(hosts: Map<string, number>, host: string): void {
    if (hosts.has(host) || hosts.size < maxHostCount) hosts.set(host, (hosts.get(host) ?? 0) + 1);
  }

  /** Counts a request or connection. Returns whether it may pass. Servers on this machine are here only for the tests that have them. */
  admit(host: string): boolean {
    if (localHost.test(host)) return true;
    this.#count(this.isStrict ? this.#refused : this.#passed, host);
    return !this.isStrict;
  }

  addUntrusted(host: string): void {
    if (this.#untrusted.size < maxHostCount) this.#untrusted.add(host);
  }

  /** Sends a request on, or refuses it. Throws UpstreamError. */
  async answer(
    { url, host }: HostAddress,
    request: IncomingMessage,
    response: ServerResponse,
    body: Uint8Array | Readable | null,
  ): Promise<void> {
    if (this.admit(host)) return passThrough({ url, host, body }, request, response);
    if (body instanceof Readable) body.resume();
    response.writeHead(403, { "content-type": "application/json", "x-should-retry": "false" });
    const error = `${host} is not a model's host, and --strict refuses every other one. To record it, add it to --hosts.`;
    response.end(JSON.stringify({ error }));
  }

  /** Connects an upgrade, such as a WebSocket, with its server. */
  upgrade({ url, host }: HostAddress, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!this.admit(host)) return void socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n");
    const isSecure = url.protocol === "https:";
    const port = Number(url.port) || (isSecure ? 443 : 80);
    const place = { host: url.hostname, port };
    const upstream = isSecure ? tlsConnect({ ...place, servername: host.replace(/:\d+$/, "") }) : connect(place);
    const lines = [`${request.method} ${url.pathname}${url.search} HTTP/1.1`];
    for (let index = 0; index < request.rawHeaders.length; index += 2)
      if (request.rawHeaders[index]?.toLowerCase() !== processHeader)
        lines.push(`${request.rawHeaders[index]}: ${request.rawHeaders[index + 1]}`);
    upstream.write(`${lines.join("\r\n")}\r\n\r\n`);
    if (head.length > 0) upstream.write(head);
    pipeBoth(socket, upstream);
  }

  report(): OutsideReport {
    return { passed: this.#passed, refused: this.#refused, untrusted: this.#untrusted };
  }
}

function listed(hosts: ReadonlyMap<string, number>): string {
  return [...hosts].map(([host, count]) => (count === 1 ? host : `${host} (${count})`)).join(", ");
}

/** Most servers on this machine that a line names. */
const maxPortCount = 5;

/** Returns a line on the servers on this machine that were asked without the proxy, by their ports. */
export function describePassedPorts(ports: readonly number[]): string {
  const places = ports.slice(0, maxPortCount).map((port) => `127.0.0.1:${port}`);
  const more = ports.length > maxPortCount ? ` and ${ports.length - maxPortCount} more` : "";
  return `  asked on this machine, not recorded: ${places.join(", ")}${more}. To record one: --hosts ${places[0]}`;
}

/** What to do for a client that does not trust the certificate of a run. */
export const trustAdvice = "let it trust the file that SSL_CERT_FILE names in its environment";

/** Returns the requests to other hosts as lines for a terminal. */
export function describeOutside({ passed, refused, untrusted }: OutsideReport): string[] {
  return [
    ...(passed.size > 0 ? [`  passed to other hosts, not recorded: ${listed(passed)}`] : []),
    ...(refused.size > 0 ? [`  refused by --strict: ${listed(refused)}`] : []),
    ...[...untrusted].map(
      (host) => `  ${host}: its client does not trust the certificate of this run: ${trustAdvice}.`,
    ),
  ];
}
