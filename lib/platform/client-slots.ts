import { isIP } from "node:net";

const mappedPrefix = "0:0:0:0:0:ffff:";

/** Returns the eight groups of an IPv6 address in the canonical form of the URL parser. */
function groupsOf(canonical: string): string[] {
  const [left = "", right] = canonical.split("::");
  const before = left.split(":").filter(Boolean);
  const after = right?.split(":").filter(Boolean) ?? [];
  return [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
}

function networkOfIPv6(address: string): string {
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, "")}]`);
  const groups = groupsOf(hostname.slice(1, -1));
  if (!groups.join(":").startsWith(mappedPrefix)) return `${groups.slice(0, 4).join(":")}::/64`;
  const [high, low] = groups.slice(6).map((group) => Number.parseInt(group, 16)) as [number, number];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** Returns the network counted as one client: an IPv4 address, or the /64 network that one IPv6 customer gets. */
export function networkOf(address: string): string {
  const version = isIP(address);
  if (version === 6) return networkOfIPv6(address);
  return version === 4 ? address : "unknown";
}

type Bounds = {
  /** Maximum slots taken at the same time by all clients together. */
  max: number;
  /** Maximum slots taken at the same time by one client. */
  maxPerClient: number;
};

/** Limits concurrent work, in total and per client, so that no client takes everything. */
export class ClientSlots {
  readonly #bounds: Bounds;
  readonly #takenBy = new Map<string, number>();
  #taken = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Slots taken by all clients. */
  get size(): number {
    return this.#taken;
  }

  /**
   * Takes a slot for a client. Returns a function that frees it, whose further calls have no effect; null if no slot is
   * free. `maxPerClient` overrides the bound for this client.
   */
  take(client: string, maxPerClient = this.#bounds.maxPerClient): (() => void) | null {
    const count = this.#takenBy.get(client) ?? 0;
    if (this.#taken >= this.#bounds.max || count >= maxPerClient) return null;
    this.#taken += 1;
    this.#takenBy.set(client, count + 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#free(client);
      isTaken = false;
    };
  }

  #free(client: string): void {
    this.#taken -= 1;
    const left = (this.#takenBy.get(client) ?? 0) - 1;
    if (left > 0) this.#takenBy.set(client, left);
    else this.#takenBy.delete(client);
  }
}
