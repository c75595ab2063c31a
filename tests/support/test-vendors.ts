import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { bytes, file, type VendorAnswer } from "./vendor-answers";

/** A request as a vendor's server got it. */
export type VendorRequest = {
  slug: string;
  at: Date;
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
};

export type TestVendor = {
  slug: string;
  name: string;
  /** `127.0.0.1:<port>`: a host of its own. */
  host: string;
  origin: string;
  /** Of its `/llms.txt`. */
  url: string;
};

/** A double of the outside world: vendors on the loopback, each with a server of its own that plays what it is told. */
export type TestVendors = {
  vendors: readonly TestVendor[];
  /** Every request, in the order in which they came. */
  requests: readonly VendorRequest[];
  /** The vendors' `host:port` pairs, for the guard. */
  allowedHosts: string[];
  requestsOf(slug: string): VendorRequest[];
  /** Most requests that were open at once at a vendor, or, without a slug, at any of them. */
  maxConcurrent(slug?: string): number;
  /** Texts of a vendor's file in the order of their versions; without them each version is made up. */
  setVersions(slug: string, texts: readonly string[]): void;
  /** Publishes a version, 1 being the first, with a new ETag and Last-Modified. */
  setVersion(slug: string, version: number): void;
  /** The text that a vendor publishes at present. */
  textOf(slug: string): string;
  /** How a vendor answers from now on to everything but robots.txt. The default is `file()`. */
  setAnswer(slug: string, answer: VendorAnswer): void;
  /** How a vendor answers to robots.txt from now on. By default it allows everything. */
  setRobotsAnswer(slug: string, answer: VendorAnswer): void;
  /** Forgets the requests so far. */
  clearRequests(): void;
  close(): Promise<void>;
};

/** When first versions came; each later one came a day after the one before. */
const firstVersionAt = Date.UTC(2026, 0, 1);
const dayMs = 24 * 60 * 60 * 1_000;

/** A made-up llms.txt; each version has one link more than the one before. */
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
  readonly #note: (request: VendorRequest) => void;

  constructor(
    readonly slug: string,
    readonly name: string,
    note: (request: VendorRequest) => void,
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

  describe(): TestVendor {
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

/** Starts the vendors, `vendor-01` and so on. Other processes of this machine reach them too. */
export async function startTestVendors({ vendorCount = 30 } = {}): Promise<TestVendors> {
  const requests: VendorRequest[] = [];
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
    maxConcurrent: (slug) => Math.max(...(slug ? [player(slug)] : all).map(({ maxOpenCount }) => maxOpenCount)),
    setVersions: (slug, texts) => {
      player(slug).texts = texts;
    },
    setVersion: (slug, version) => {
      player(slug).version = version;
    },
    textOf: (slug) => player(slug).text,
    setAnswer: (slug, answer) => {
      player(slug).answer = answer;
    },
    setRobotsAnswer: (slug, answer) => {
      player(slug).robots = answer;
    },
    clearRequests: () => {
      requests.length = 0;
    },
    close: async () => {
      await Promise.all(all.map((vendor) => vendor.close()));
    },
  };
}
