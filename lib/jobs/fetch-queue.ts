import { setTimeout as wait } from "node:timers/promises";
import { secondMs } from "#lib/platform/time";
import {
  type DueVendor,
  findDueIds,
  findDueVendors,
  postponeFetches,
  type TrackOutcome,
  type VendorSource,
} from "#lib/tracking/index";
import type { RunContext } from "./job";
import { dispatch, type Queues, type TakenJob, type TakenJobs } from "./queue/index";

export type FetchJob = { vendorId: string };

/**
 * Fewest vendors taken from the queue at a time, as far as there are any: taking one costs almost as much as taking all. A
 * process that is killed leaves what it took, which counts as an attempt, so that it takes no more than it needs.
 */
const minTakeCount = 16;
/** Most vendors that get a job at a time; the next ones when these are taken. */
const dispatchCount = 2_000;
/** Vendors of one host that are fetched at a time. More would only wait for each other, and hold up other hosts. */
const maxPerHost = 2;
/** Time to the next fetch from a host that has enough of them, for each vendor that waits. */
const postponeMs = secondMs;
/** A run that has only postponed vendors left does not wait for them so shortly before its end. */
const minWaitTimeMs = 15 * secondMs;

type FetchHooks = {
  /** Called with vendors of jobs whose process ended, before they are fetched again if they are still due. */
  onRetry: (vendorIds: readonly string[]) => Promise<void>;
  /** Called with vendors before they are fetched. */
  onTaken: (vendors: readonly DueVendor[]) => Promise<void>;
};

const hostOf = ({ llmsTxtUrl }: DueVendor) => new URL(llmsTxtUrl).host;

/** The vendors of a run, from the queue. */
export class FetchQueue implements VendorSource {
  readonly #queues: Queues;
  readonly #taken: TakenJobs<FetchJob>;
  readonly #context: RunContext;
  readonly #hooks: FetchHooks;
  readonly #takeCount: number;
  readonly #jobs = new Map<string, TakenJob<FetchJob>>();
  /** Vendors that were taken and are fetched next. */
  #ready: DueVendor[] = [];
  /** Vendors being fetched or ready, by host. */
  readonly #active = new Map<string, number>();
  /** When the last vendor is due that this run has postponed, in milliseconds since 1970. */
  #postponedUntilMs = 0;

  constructor(
    queues: Queues,
    taken: TakenJobs<FetchJob>,
    context: RunContext & { concurrency: number },
    hooks: FetchHooks,
  ) {
    this.#takeCount = Math.max(minTakeCount, Math.ceil(context.concurrency / 4));
    this.#queues = queues;
    this.#taken = taken;
    this.#context = context;
    this.#hooks = hooks;
  }

  take = async (limit: number): Promise<DueVendor[]> => {
    if (this.#ready.length === 0) this.#ready = await this.#takeMore();
    return this.#ready.splice(0, limit);
  };

  finish = (vendor: DueVendor, outcome: TrackOutcome): void => {
    this.#count(vendor, -1);
    const job = this.#jobs.get(vendor.id);
    this.#jobs.delete(vendor.id);
    if (job) this.#taken.end(job, outcome === "released" ? outcome : "done");
  };

  /** Leaves the vendors that were taken but not fetched to other runs. */
  close(): void {
    for (const vendor of this.#ready.splice(0)) this.finish(vendor, "released");
  }

  async #takeMore(): Promise<DueVendor[]> {
    const vendors = await this.#takeDue();
    if (vendors.length > 0) return vendors;
    await this.#dispatch();
    const dispatched = await this.#takeDue();
    if (dispatched.length > 0 || !(await this.#waitForPostponed())) return dispatched;
    return this.#takeMore();
  }

  /** Takes jobs until one has a vendor to fetch now. A job whose vendor was fetched meanwhile is completed. */
  async #takeDue(): Promise<DueVendor[]> {
    const { database, clock } = this.#context;
    for (;;) {
      const jobs = await this.#taken.take(this.#takeCount);
      if (jobs.length === 0) return [];
      const ids = jobs.map(({ data }) => data.vendorId);
      const retried = jobs.filter(({ retryCount }) => retryCount > 0).map(({ data }) => data.vendorId);
      if (retried.length > 0) await this.#hooks.onRetry(retried);
      const due = new Map((await findDueVendors(database, ids, clock.now())).map((vendor) => [vendor.id, vendor]));
      const [now, later]: [DueVendor[], DueVendor[]] = [[], []];
      for (const job of jobs) {
        const vendor = due.get(job.data.vendorId);
        const isNow = vendor && (this.#active.get(hostOf(vendor)) ?? 0) < maxPerHost;
        if (isNow) {
          this.#jobs.set(vendor.id, job);
          this.#count(vendor, 1);
          now.push(vendor);
        } else {
          this.#taken.end(job, "done");
          if (vendor) later.push(vendor);
        }
      }
      await this.#postpone(later);
      if (now.length === 0) continue;
      await this.#hooks.onTaken(now);
      return now;
    }
  }

  /** Makes vendors due a little later, those of one host one after another. */
  async #postpone(vendors: readonly DueVendor[]): Promise<void> {
    if (vendors.length === 0) return;
    const { database, clock } = this.#context;
    const nowMs = clock.now().getTime();
    const waiting = new Map<string, number>();
    const postponed = vendors.map(({ id, nextFetchAt, ...vendor }) => {
      const host = hostOf({ id, nextFetchAt, ...vendor });
      const count = (waiting.get(host) ?? 0) + 1;
      waiting.set(host, count);
      return { id, nextFetchAt, until: new Date(nowMs + count * postponeMs) };
    });
    await postponeFetches(database, postponed);
    const lastMs = Math.max(...postponed.map(({ until }) => until.getTime()));
    this.#postponedUntilMs = Math.max(this.#postponedUntilMs, lastMs);
  }

  /** Waits until another postponed vendor may be due. Returns false if there is none, or no time for it. */
  async #waitForPostponed(): Promise<boolean> {
    const { clock, deadlineMs, signal } = this.#context;
    const waitMs = Math.min(postponeMs, this.#postponedUntilMs - clock.now().getTime());
    if (waitMs <= 0 || signal.aborted || clock.monotonicMs() + waitMs + minWaitTimeMs >= deadlineMs) return false;
    await wait(waitMs, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  }

  #dispatch(): Promise<void> {
    const { database, clock } = this.#context;
    return dispatch(this.#queues, database, "fetch", async () => {
      const ids = await findDueIds(database, clock.now(), dispatchCount);
      return ids.map((vendorId) => ({ key: vendorId, data: { vendorId } satisfies FetchJob }));
    });
  }

  #count(vendor: DueVendor, change: 1 | -1): void {
    const host = hostOf(vendor);
    const count = (this.#active.get(host) ?? 0) + change;
    if (count > 0) this.#active.set(host, count);
    else this.#active.delete(host);
  }
}
