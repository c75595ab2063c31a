import { randomInt } from "node:crypto";
import type { ServerResponse } from "node:http";
import * as z from "zod";
import { AppError } from "#lib/platform/errors";
import { isHostLike } from "#lib/replay/interception/index";
import {
  applyFaults,
  maxFaultCount,
  maxStallMs,
  type Replay,
  type SimulatedError,
  simulateError,
} from "#lib/replay/playback/index";
import type { Provider } from "#lib/replay/providers/index";
import { hostSchema } from "./host-schema";

/** Which faults of a test have acted: one that never does may hide a mistake in the test. */
export class FaultUse {
  readonly #faults: readonly CallFault[];
  readonly #used = new Set<CallFault>();
  readonly #reasons = new Map<CallFault, string>();
  /** Number of calls so far that each fault counts. */
  readonly #counts = new Map<CallFault, number>();

  constructor(faults: readonly CallFault[]) {
    this.#faults = faults;
  }

  /** Counts a call to a host, and returns the first fault of those that are for it. */
  next(host: string): CallFault | undefined {
    const [first, ...others] = this.#faults.filter((fault) => {
      if (fault.host !== undefined && !isHostLike(host, fault.host)) return false;
      const count = (this.#counts.get(fault) ?? 0) + 1;
      this.#counts.set(fault, count);
      return count === fault.call;
    });
    for (const other of others) this.#reasons.set(other, `call ${other.call} has another fault`);
    return first;
  }

  markUsed(fault: CallFault): void {
    this.#used.add(fault);
  }

  /** Notes an answer that was played with a fault, or why the fault could not act on it. */
  markPlayed(fault: CallFault, idle: string | undefined): void {
    if (idle === undefined) this.markUsed(fault);
    else this.#reasons.set(fault, idle);
  }

  /** Returns a note for each fault that has not acted. */
  describeUnused(): string[] {
    return this.#faults.flatMap((fault, index) => {
      if (this.#used.has(fault)) return [];
      const { call, host } = fault;
      const count = this.#counts.get(fault) ?? 0;
      const calls = host === undefined ? "calls" : `calls to ${host}`;
      const unplayed = `the answer to call ${call} was not played`;
      const why = call > count ? `number of ${calls}: ${count}` : (this.#reasons.get(fault) ?? unplayed);
      return [`Fault ${index + 1} was not used; ${why}.`];
    });
  }
}

/** Greatest seed: 32 bits. */
const maxSeed = 2 ** 32 - 1;

/** Headers that the proxy sets to what it sends. */
const framingHeaders = /^(connection|keep-alive|content-length|content-encoding|transfer-encoding|trailer|upgrade)$/i;

/** An error that is sent in place of an answer. */
export const errorFields = {
  status: z.int().min(400).max(599).optional(),
  retryAfterS: z.number().min(0).max(3600).optional(),
  /** The provider's code of this error, such as `insufficient_quota`, and its message. */
  code: z.string().min(1).max(100).optional(),
  message: z.string().min(1).max(1000).optional(),
  /** The whole body in place of the provider's format, as gateways send it. */
  body: z.string().max(100_000).optional(),
  /** More headers of the response, or other values. */
  headers: z
    .record(
      z.string().regex(/^[\w-]{1,100}$/),
      z
        .string()
        .max(2_000)
        .regex(/^[\t\x20-\x7e\x80-\xff]*$/),
    )
    .refine(
      (headers) => !Object.keys(headers).some((name) => framingHeaders.test(name)),
      "must not have headers of the connection, such as content-length",
    )
    .optional(),
};

/** What happens to an answer while it is sent. */
export const deliveryFields = {
  /** What happens after so many events. */
  afterEvent: z.int().min(0).max(maxFaultCount).optional(),
  do: z.enum(["cut", "error", "end"]).optional(),
  /** Pause after the first piece, in milliseconds. */
  stallMs: z.int().min(0).max(maxStallMs).optional(),
  /** Delay before the first byte, in milliseconds. */
  firstByteMs: z.int().min(0).max(maxStallMs).optional(),
  /** Longest random delay before each event, in milliseconds. */
  jitterMs: z.int().min(0).max(maxStallMs).optional(),
  /** Decides the delays of `jitterMs`. Default: a random one, which the report names; of an answer, that of its ids. */
  seed: z.int().min(0).max(maxSeed).optional(),
  /** Size of the pieces, in bytes; 1 divides every character. They leave 1 ms apart, in a minute at most. */
  rechunk: z.int().min(1).max(maxFaultCount).optional(),
};

const deliverySchema = z.object(deliveryFields);
type Delivery = z.infer<typeof deliverySchema>;

/** Returns what a fault or an answer asks for while it is sent; undefined if it asks for nothing. */
export function deliveryOf(asked: Delivery): Delivery | undefined {
  const delivery = deliverySchema.parse(asked);
  return Object.values(delivery).every((value) => value === undefined) ? undefined : delivery;
}

/** Adds the rules for a fault and for an answer with one. */
export function withFaultRules<T extends z.ZodType<Delivery & { status?: number | undefined }>>(schema: T) {
  return schema
    .refine((fault) => fault.do === undefined || fault.afterEvent !== undefined, "do needs afterEvent")
    .refine(
      ({ status = 200, ...fault }) => status < 400 || deliveryOf(fault) === undefined,
      "an error is sent at once and whole, so status can only be combined with retryAfterS, code and message",
    );
}

/** A fault of one call of a test. Calls, or those to a host, are counted from 1, in the order in which they arrive. */
export const faultSchema = withFaultRules(
  z.strictObject({
    call: z.int().min(1).max(100_000),
    /** Only calls to this host count. */
    host: hostSchema.optional(),
    /** The recording stays for the next call. */
    ...errorFields,
    ...deliveryFields,
  }),
).refine(
  ({ status, retryAfterS, code, message, body, headers }) =>
    status !== undefined || [retryAfterS, code, message, body, headers].every((value) => value === undefined),
  "only an error, with a status, has retryAfterS, code, message, body and headers",
);
export type CallFault = z.infer<typeof faultSchema>;

/** What is asked for a call: a fault of the test, or what a hand-written answer says of itself. */
export type AskedFault = CallFault | Delivery;

/** Whether SDKs retry this status. */
export const isRetried = (status: number) => status === 408 || status === 409 || status === 429 || status >= 500;

/** Returns what lets SDKs retry at once: at maximum speed they need not wait as long as the provider asked. */
export const hurryRetries = (status: number, speed: number): Record<string, string> =>
  speed === Number.POSITIVE_INFINITY && isRetried(status) ? { "retry-after-ms": "1" } : {};

const pollHeader = "openai-poll-after-ms";

/** Returns what lets SDKs ask again at once how far an operation is: without it, OpenAI's wait for 5 s. */
export const hurryPolls = (method: string, { keptHeaders }: Provider, speed: number): Record<string, string> =>
  speed === Number.POSITIVE_INFINITY && method === "GET" && keptHeaders.includes(pollHeader)
    ? { [pollHeader]: "1" }
    : {};

export function sendError(
  response: ServerResponse,
  provider: Provider,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", "x-tapedeck": "error", ...headers });
  response.end(JSON.stringify(provider.errorBody({ status, message, requestId: "req_tapedeck" })));
}

/** Returns the names and values that a test gives, as they are sent. */
export const lowerCased = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/**
 * Returns the error that a test asks for in place of an answer; undefined if it asks for none. Retries of it need not
 * wait at maximum speed, unless the test says how long.
 */
export function errorOfFault(
  { status, body, headers, ...asked }: Pick<CallFault, keyof typeof errorFields>,
  provider: Provider,
  { speed, id }: { speed: number; id: number | string },
): SimulatedError | undefined {
  if (status === undefined) return undefined;
  const requestId = `req_${id}`;
  const error = simulateError(provider, { status, ...asked }, { asker: "test", requestId });
  const given = lowerCased(headers);
  const isTimed = asked.retryAfterS !== undefined || "retry-after" in given;
  return {
    status,
    headers: {
      ...error.headers,
      [provider.requestIdHeader]: requestId,
      ...(body === undefined ? {} : { "content-type": "text/plain; charset=utf-8" }),
      ...(isTimed ? {} : hurryRetries(status, speed)),
      ...given,
      "x-tapedeck": "error",
    },
    body: body ?? error.body,
  };
}

/** Changes the answer to a call as the test asks for. With a part that cannot act, nothing is changed, and `idle` says why. */
export function applyCallFault(
  replay: Replay,
  fault: AskedFault,
  provider: Provider,
): { replay: Replay; idle: string | undefined } {
  try {
    const asking = { provider, asker: "test", requestId: "req_tapedeck" } as const;
    return { replay: applyFaults(replay, fault, asking), idle: undefined };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const place = "call" in fault ? `on call ${fault.call}, ` : "";
    return { replay, idle: `${place}${error.message.replace(/\.$/, "")}` };
  }
}

/** Gives a fault with random delays a seed. Returns what tells the developer which one, so that the delays can be repeated. */
export function seedFault(
  fault: AskedFault | undefined,
  file: string,
): { fault: AskedFault | undefined; headers: Record<string, string>; notes: string[] } {
  if (fault?.jitterMs === undefined) return { fault, headers: {}, notes: [] };
  const seed = fault.seed ?? randomInt(maxSeed + 1);
  const note = `The random delays of ${file} have the seed ${seed}. Set it as the seed of the fault to repeat them.`;
  return {
    fault: { ...fault, seed },
    headers: { "x-tapedeck-seed": String(seed) },
    notes: fault.seed === undefined ? [note] : [],
  };
}
