import type { Database } from "#lib/platform/database/index";
import { type Settlement, settleDeliveries } from "./store";

type Status = Awaited<ReturnType<typeof settleDeliveries>>[number];
type Waiting = { settlement: Settlement; resolve: (status: Status) => void; reject: (error: unknown) => void };

/** Most settlements of a statement. */
const maxBatchSize = 64;

/** Records the results of attempts. Those that arrive while a statement runs are recorded together by the next one. */
export class SettlementQueue {
  readonly #database: Database;
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Records a result, and returns the delivery's status, or null if its lease was lost. Throws if the database fails. */
  settle(settlement: Settlement): Promise<Status> {
    const settled = new Promise<Status>((resolve, reject) => {
      this.#waiting.push({ settlement, resolve, reject });
    });
    void this.#write();
    return settled;
  }

  async #write(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxBatchSize);
      try {
        const settlements = batch.map(({ settlement }) => settlement);
        const statuses = await settleDeliveries(this.#database, settlements);
        for (const [index, { resolve }] of batch.entries()) resolve(statuses[index] ?? null);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isWriting = false;
  }
}
