import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { LoopbackServer } from "./loopback-server";
import { bytes, file, type VendorAnswer } from "./vendor-answers";

/** A request as received by a vendor's server. */
export type VendorRequest = {
  slug: string;
  at: Date;
  method: string;
  /** Includes the query. */
  path: string;
  headers: IncomingHttpHeaders;
};

export type TestVendor = {
  slug: string;
  name: string;
  /** `127.0.0.1:<port>`, different for each vendor. */
  host: string;
  origin: string;
  /** URL of its `/llms.txt`. */
  url: string;
};

/** Simulated vendors on the loopback interface, each with its own server and configurable responses. */
export type TestVendors = {
  vendors: readonly TestVendor[];
  /** Every request, in order of arrival. */
  requests: readonly VendorRequest[];
  /** The vendors' `host:port` pairs, for the guard. */
  allowedHosts: string[];
  requestsOf(slug: string): VendorRequest[];
  /** Most concurrent requests at a vendor, or at any vendor without a slug. */
  maxConcurrent(slug?: string): number;
  /** Sets the texts of a vendor's versions, in order. By default each version is made up. */
  setVersions(slug: string, texts: readonly string[]): void;
  /** Publishes a version, starting from 1, with a new ETag and Last-Modified. */
  setVersion(slug: string, version: number): void;
  /** Returns the text of a vendor's current version. */
  textOf(slug: string): string;
  /** Sets how a vendor responds to everything except robots.txt. The default is `file()`. */
  setAnswer(slug: string, answer: VendorAnswer): void;
  /** Sets how a vendor responds to robots.txt. By default everything is allowed. */
  setRobotsAnswer(slug: string, answer: VendorAnswer): void;
  /** Forgets the requests so far. */
  clearRequests(): void;
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

class Vendor extends LoopbackServer {
  version = 1;
  texts: readonly string[] = [];
  answer: VendorAnswer = file();
  robots: VendorAnswer = bytes("User-agent: *\nAllow: /\n");

  constructor(
    readonly slug: string,
    readonly name: string,
    private readonly note: (request: VendorRequest) => void,
  ) {
    super();
  }

  get text(): string {
    return this.texts[this.version - 1] ?? versionText(this.name, this.version);
  }

  describe(): TestVendor {
    const { slug, name, host, origin } = this;
    return { slug, name, host, origin, url: `${origin}/llms.txt` };
  }

  protected async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    this.note({ slug: this.slug, at: new Date(), method: request.method ?? "", path, headers: request.headers });
    const answer = path === "/robots.txt" ? this.robots : this.answer;
    const changedAt = new Date(firstVersionAt + (this.version - 1) * dayMs);
    await answer({ request, response, path, text: this.text, changedAt, version: this.version });
  }
}

/** Starts the vendors `vendor-01` and so on. Other processes on this machine can reach them too. */
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
    if (!found) throw new Error(`There is no test vendor ${slug}.`);
    return found;
  };
  await Promise.all(all.map((vendor) => vendor.start()));
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
