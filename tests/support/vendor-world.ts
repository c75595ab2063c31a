import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { bytes, file, type VendorAnswer } from "./vendor-answers";

/** A request as received by a vendor's server. */
export type WorldRequest = {
  slug: string;
  at: Date;
  method: string;
  /** Includes the query. */
  path: string;
  headers: IncomingHttpHeaders;
};

export type WorldVendor = {
  slug: string;
  name: string;
  /** `127.0.0.1:<port>`, different for each vendor. */
  host: string;
  origin: string;
  /** URL of its `/llms.txt`. */
  url: string;
};

/** Simulated vendors on the loopback interface, each with its own server and configurable responses. */
export type VendorWorld = {
  vendors: readonly WorldVendor[];
  /** Every request, in order of arrival. */
  requests: readonly WorldRequest[];
  /** The vendors' `host:port` pairs, for the guard. */
  allowedHosts: string[];
  requestsOf(slug: string): WorldRequest[];
  /** Most concurrent requests at a vendor, or at any vendor without a slug. */
  maxAtOnce(slug?: string): number;
  /** Sets the texts of a vendor's versions, in order. By default each version is made up. */
  setVersions(slug: string, texts: readonly string[]): void;
  /** Publishes a version, 1 being the first, with a new ETag and Last-Modified. */
  setVersion(slug: string, version: number): void;
  /** Returns the text of a vendor's current version. */
  textOf(slug: string): string;
  /** Sets how a vendor responds to everything except robots.txt. The default is `file()`. */
  play(slug: string, answer: VendorAnswer): void;
  /** Sets how a vendor responds to robots.txt. By default everything is allowed. */
  playRobots(slug: string, answer: VendorAnswer): void;
  /** Forgets the requests so far. */
  forgetRequests(): void;
  close(): Promise<void>;
};

/** Time of the first versions; each later version is published a day after the previous one. */
const firstVersionAt = Date.UTC(2026, 0, 1);
const dayMs = 24 * 60 * 60 * 1_000;

/** Returns a made-up llms.txt; each version has one link more than the previous one. */
export function versionText(name: string, version: number): string {
  const links = Array.from(
    { length: 11 + version },
    (_, index) => `- [Guide ${index + 1}](https://docs.example.com/guides/${index + 1}): how step ${index + 1} is done`,
  );
  return `# ${name}\n\n> What ${name} offers to programs.\n\n## Guides\n\n${links.join("\n")}\n`;
}

class Vendor {
  version = 1;
  texts: readonly string[] = [];
  answer: VendorAnswer = file();
  robots: VendorAnswer = bytes("User-agent: *\nAllow: /\n");
  openCount = 0;
  maxOpenCount = 0;
  readonly sockets = new Set<Socket>();
  readonly server = createServer((request, response) => this.#take(request, response));
  readonly #note: (request: WorldRequest) => void;

  constructor(
    readonly slug: string,
    readonly name: string,
    note: (request: WorldRequest) => void,
  ) {
    this.#note = note;
    this.server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
      socket.on("error", () => undefined);
    });
  }

  get text(): string {
    return this.texts[this.version - 1] ?? versionText(this.name, this.version);
  }

  describe(): WorldVendor {
    const host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    const origin = `http://${host}`;
    return { slug: this.slug, name: this.name, host, origin, url: `${origin}/llms.txt` };
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, "close");
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    this.#note({ slug: this.slug, at: new Date(), method: request.method ?? "", path, headers: request.headers });
    this.openCount += 1;
    this.maxOpenCount = Math.max(this.maxOpenCount, this.openCount);
    response.on("close", () => {
      this.openCount -= 1;
    });
    const answer = path === "/robots.txt" ? this.robots : this.answer;
    const changedAt = new Date(firstVersionAt + (this.version - 1) * dayMs);
    await answer({ request, response, path, text: this.text, changedAt, version: this.version });
  }
}

/** Starts the vendors `vendor-01` and so on. Other processes on this machine can reach them too. */
export async function createVendorWorld({ vendorCount = 30 } = {}): Promise<VendorWorld> {
  const requests: WorldRequest[] = [];
  const players = new Map<string, Vendor>();
  for (let number = 1; number <= vendorCount; number += 1) {
    const digits = String(number).padStart(2, "0");
    players.set(`vendor-${digits}`, new Vendor(`vendor-${digits}`, `Vendor ${digits}`, (seen) => requests.push(seen)));
  }
  const all = [...players.values()];
  const player = (slug: string): Vendor => {
    const found = players.get(slug);
    if (!found) throw new Error(`there is no vendor ${slug} in this world`);
    return found;
  };
  for (const { server } of all) server.listen(0, "127.0.0.1");
  await Promise.all(all.map(({ server }) => server.listening || once(server, "listening")));
  const vendors = all.map((vendor) => vendor.describe());
  return {
    vendors,
    requests,
    allowedHosts: vendors.map(({ host }) => host),
    requestsOf: (slug) => requests.filter((request) => request.slug === player(slug).slug),
    maxAtOnce: (slug) => Math.max(...(slug ? [player(slug)] : all).map(({ maxOpenCount }) => maxOpenCount)),
    setVersions: (slug, texts) => {
      player(slug).texts = texts;
    },
    setVersion: (slug, version) => {
      player(slug).version = version;
    },
    textOf: (slug) => player(slug).text,
    play: (slug, answer) => {
      player(slug).answer = answer;
    },
    playRobots: (slug, answer) => {
      player(slug).robots = answer;
    },
    forgetRequests: () => {
      requests.length = 0;
    },
    close: async () => {
      await Promise.all(all.map((vendor) => vendor.close()));
    },
  };
}
