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
