import { LRUCache } from "lru-cache";
import { unlimited } from "#lib/accounts/plans/index";
import { config } from "#lib/platform/config";
import { AppError } from "#lib/platform/errors";
import { type Log, log } from "#lib/platform/log";
import { observer } from "#lib/platform/observer";
import { processSingleton } from "#lib/platform/process-singleton";
import { hourMs, secondMs } from "#lib/platform/time";
import { TimeoutError } from "#lib/platform/with-timeout";
import { configuredLimitStores, type LimitStore, type Taken } from "./store";
import { endOfDay } from "./subjects";

/** A timeout is measured in this many steps. */
const stepCount = 10;

/**
 * Returns a store whose pending calls fail with TimeoutError when none of its calls has been answered for `timeoutMs`
 * milliseconds. A store that answers slowly, or late because a burst of calls waits in line, is waited for. So is one
 * whose answers this process has not read yet: a step that comes late, because the event loop was blocked, counts as one.
 */
function failWhenUnresponsive(store: LimitStore, timeoutMs: number): LimitStore {
  const pending = new Set<(error: Error) => void>();
  let stepsWithoutAnswer = 0;
  let timer: NodeJS.Timeout | undefined;

  function step() {
    stepsWithoutAnswer += 1;
    if (stepsWithoutAnswer < stepCount) return;
    const error = new TimeoutError(`no response within ${timeoutMs} ms`);
    for (const fail of pending) fail(error);
    pending.clear();
    stop();
  }

  function start() {
    if (timer) return;
    stepsWithoutAnswer = 0;
    timer = setInterval(step, timeoutMs / stepCount);
  }

  function stop() {
    clearInterval(timer);
    timer = undefined;
  }

  async function answered(call: Promise<Taken>, fail: (error: Error) => void): Promise<Taken> {
    try {
      return await call;
    } finally {
      stepsWithoutAnswer = 0;
      pending.delete(fail);
      if (pending.size === 0) stop();
    }
  }

  return {
    kind: store.kind,
    take: (subject, limit, now) =>
      new Promise((resolve, reject) => {
        pending.add(reject);
        start();
        answered(store.take(subject, limit, now), reject).then(resolve, reject);
      }),
  };
}

/** Result of counting a request; `limit` is in requests per day. */
export type LimitAnswer = Taken & { limit: number };

type CountInput = {
  /** `key:<limit id>` or `address:<hash>`. */
  subject: string;
  /** Requests per day; -1: unlimited. */
  limit: number;
  now: Date;
};

/** Counts requests against daily limits. */
export type RequestCounter = {
  /**
   * Counts a request. Returns undefined if no store counted it: with an unlimited plan, without a store, and, for a few
   * requests per hour, while no store answers. Throws AppError service_unavailable for further requests in such an hour.
   */
  count(input: CountInput): Promise<LimitAnswer | undefined>;
};

type CounterOptions = {
  /** The stores, in the order in which they are asked: the next one counts while the ones before it are down. */
  stores: LimitStore[];
  /** A store that answers nothing for this long is down, in milliseconds. */
  timeoutMs: number;
  log: Log;
};

/** Maximum number of subjects for which refusals and outage counts are kept. */
const maxSubjects = 10_000;
const hoursPerDay = 24;

/** Creates a counter. One per process is enough, because it shares what the stores have refused. */
export function createRequestCounter({ stores, timeoutMs, log }: CounterOptions): RequestCounter {
  const breakers = stores.map((store) => new CircuitBreaker(failWhenUnresponsive(store, timeoutMs), log));
  const refused = new LRUCache<string, LimitAnswer>({ max: maxSubjects });
  const countDuringOutage = outageCounter();

  return {
    async count({ subject, limit, now }) {
      if (limit === unlimited || stores.length === 0) return undefined;
      const refusal = refused.get(subject);
      // While a clock was ahead, a later day can have been refused: that says nothing about this one.
      const isOfThisDay = refusal && now < refusal.resetAt && refusal.resetAt <= endOfDay(now);
      if (isOfThisDay && limit <= refusal.limit) return { ...refusal, limit };
      for (const breaker of breakers) {
        const taken = await breaker.take(subject, limit, now);
        if (!taken) continue;
        const answer = { ...taken, limit };
        if (!answer.allowed) refused.set(subject, answer);
        return answer;
      }
      countDuringOutage(subject, limit, now);
      return undefined;
    },
  };
}

/** Circuit breaker: while its store is down, only one request at a time asks it, which finds out when it is back. */
class CircuitBreaker {
  #isDown = false;
  #isProbing = false;

  constructor(
    private readonly store: LimitStore,
    private readonly log: Log,
  ) {}

  /** Returns undefined if the store is down. An outage and its end are each logged once. */
  async take(subject: string, limit: number, now: Date): Promise<Taken | undefined> {
    const isProbe = this.#isDown;
    if (isProbe && this.#isProbing) return undefined;
    if (isProbe) this.#isProbing = true;
    try {
      const taken = await this.#takeTwice(subject, limit, now);
      if (this.#isDown) this.log.info({ store: this.store.kind }, "the store of the limits counts requests again");
      this.#isDown = false;
      return taken;
    } catch (error) {
      if (!this.#isDown) this.log.warn({ err: error, store: this.store.kind }, "the store of the limits is down");
      this.#isDown = true;
      return undefined;
    } finally {
      if (isProbe) this.#isProbing = false;
    }
  }

  /**
   * Repeats a call that failed, because a connection that had been idle can be closed at any time. The request may then
   * be counted twice, which is better than not at all.
   */
  async #takeTwice(...call: Parameters<LimitStore["take"]>): Promise<Taken> {
    try {
      return await this.store.take(...call);
    } catch (error) {
      if (error instanceof TimeoutError || this.#isDown) throw error;
      return this.store.take(...call);
    }
  }
}

/**
 * Returns a function that counts in this process while no store answers: a 24th of the daily limit per hour. Beyond that
 * it throws AppError service_unavailable.
 */
function outageCounter(): (subject: string, limit: number, now: Date) => void {
  const counts = new LRUCache<string, number>({ max: maxSubjects });
  return (subject, limit, now) => {
    const hour = Math.floor(now.getTime() / hourMs);
    const id = `${hour} ${subject}`;
    const count = (counts.get(id) ?? 0) + 1;
    if (count <= Math.ceil(limit / hoursPerDay)) {
      counts.set(id, count);
      return;
    }
    observer()?.refused("outage");
    const seconds = Math.ceil(((hour + 1) * hourMs - now.getTime()) / secondMs);
    const message = "Requests cannot be counted at the moment, so only a few per hour are served. Try again later.";
    throw new AppError("service_unavailable", message, { headers: { "Retry-After": String(seconds) } });
  };
}

/** Returns the process's counter. */
export function requestCounter(): RequestCounter {
  return processSingleton("request-counter", () =>
    createRequestCounter({ stores: configuredLimitStores(), timeoutMs: config().LIMIT_STORE_TIMEOUT_MS, log: log() }),
  );
}
