import { createContext, Script } from "node:vm";
import * as z from "zod";
import { hostSchema } from "./host-schema";
import { deliveryFields, errorFields, withFaultRules } from "./proxy-faults";

const maxAnswerCount = 1_000;
const maxTextLength = 100_000;
/** Longest body in base64, in characters. */
const maxBytesLength = 10_000_000;

function toExpression({ regex, flags }: { regex: string; flags: string }): RegExp | null {
  try {
    return new RegExp(regex, flags);
  } catch {
    return null;
  }
}

const expressionSchema = z
  .strictObject({
    regex: z.string().min(1).max(1_000),
    flags: z
      .string()
      .regex(/^[imsuv]*$/)
      .default(""),
  })
  .refine((expression) => toExpression(expression) !== null, "regex and flags must be a regular expression");

const tokenCount = z.int().min(0).max(1_000_000_000).optional();

/** Token counts of an answer. Default: an estimate, without cached ones. Those of the input include the cached ones. */
const usageSchema = z
  .strictObject({ inputTokens: tokenCount, outputTokens: tokenCount, cachedTokens: tokenCount })
  .refine(
    ({ inputTokens, cachedTokens = 0 }) => cachedTokens <= (inputTokens ?? 0),
    "cachedTokens are part of inputTokens, and need them",
  );

const answerFields = z.strictObject({
  /** What the last message contains or matches. Default: any call. */
  when: z
    .union([z.string().min(1).max(10_000), expressionSchema], {
      error: "must be a text, or a regular expression as { regex, flags }",
    })
    .optional(),
  /** The model that the request names. Default: any. */
  model: z.string().min(1).max(200).optional(),
  /** The host that is asked; `*` stands for any part. Default: any. */
  host: hostSchema.optional(),
  /** The path that is asked, such as `/v1/embeddings`; `*` stands for any part. Default: any. */
  path: z.string().max(2_000).regex(/^\//, "must begin with a slash").optional(),
  /** Number of calls that get it. Default: any. */
  times: z.int().min(1).max(100_000).optional(),
  text: z.string().min(1).max(maxTextLength).optional(),
  thinking: z.string().min(1).max(maxTextLength).optional(),
  toolCalls: z
    .array(z.strictObject({ name: z.string().min(1).max(128), input: z.record(z.string(), z.unknown()).default({}) }))
    .min(1)
    .max(100)
    .optional(),
  stopReason: z.literal("max_tokens").optional(),
  usage: usageSchema.optional(),
  ...errorFields,
  /** Of an error, or of a whole answer. */
  status: z.int().min(200).max(599).optional(),
  /** The body as JSON, or as bytes, in place of `body`. */
  json: z.unknown().optional(),
  base64: z.base64().max(maxBytesLength).optional(),
  ...deliveryFields,
});
type AnswerFields = z.infer<typeof answerFields>;

/** What an answer is: one of the model, in the protocol of the request; an error; or whole, as it is written. */
function kindOf({ text, toolCalls, status = 200, path, json, body, base64 }: AnswerFields) {
  const isOfModel = text !== undefined || toolCalls !== undefined;
  const bodies = [json, body, base64].filter((value) => value !== undefined).length;
  if (isOfModel) return bodies === 0 && status === 200 ? "model" : undefined;
  if (bodies > 1) return undefined;
  if (status >= 400) return "error";
  return bodies === 1 && path !== undefined ? "whole" : undefined;
}

const answerSchema = withFaultRules(answerFields)
  .refine(
    (answer) => kindOf(answer) !== undefined,
    "must have text or toolCalls; or the status of an error; or path, with json, body or base64",
  )
  .refine(
    (answer) =>
      kindOf(answer) === "error" ||
      [answer.retryAfterS, answer.code, answer.message].every((value) => value === undefined),
    "only an error has retryAfterS, code and message",
  )
  .refine(
    (answer) => kindOf(answer) === "model" || (answer.thinking ?? answer.usage) === undefined,
    "only text or toolCalls have thinking and usage",
  )
  .refine(
    ({ stopReason, text, toolCalls }) => stopReason === undefined || (text !== undefined && toolCalls === undefined),
    "stopReason needs a text without toolCalls",
  );
/** An answer that is written by hand. */
export type HandWritten = z.infer<typeof answerSchema>;

/** Whether an answer is one of a model, which only calls of a known protocol get. */
export const isOfModel = (answer: HandWritten) => kindOf(answer) === "model";

export const answersSchema = z.array(answerSchema).max(maxAnswerCount);

/** Longest time that a regular expression may search a message: some take years, in which the proxy could answer nobody. */
const maxSearchMs = 1_000;
/** Characters of a message that a regular expression searches. */
const maxSearchedLength = 100_000;

const searchContext = createContext({});
const search = new Script("expression.test(text)");

/** Throws if the expression takes too long. */
function isFound(expression: RegExp, text: string, name: string): boolean {
  Object.assign(searchContext, { expression, text: text.slice(0, maxSearchedLength) });
  try {
    return search.runInContext(searchContext, { timeout: maxSearchMs }) as boolean;
  } catch {
    throw new Error(
      `The regular expression ${JSON.stringify(expression.source)} of ${name} takes too long. Avoid nested repetitions such as (a+)+.`,
    );
  }
}

function matcherOf({ when }: HandWritten, name: string): (text: string) => boolean {
  if (when === undefined) return () => true;
  if (typeof when === "string") return (text) => text.includes(when);
  const expression = toExpression(when);
  return (text) => expression !== null && isFound(expression, text, name);
}

/**
 * `name` is what notes call an answer. `seed` decides its ids, and random delays without a seed of their own: it is the same when
 * calls that get other answers arrive in another order.
 */
export type GivenAnswer = { answer: HandWritten; name: string; seed: number };

/** How far apart the seeds of two answers are: more than either is given in a test. */
const seedDistance = 1_000_000;

type Counted = Omit<GivenAnswer, "seed"> & { firstSeed: number; isMatch: (text: string) => boolean; count: number };

/** The hand-written answers of a test, and how often each was given. */
export class AnswerUse {
  readonly #answers: readonly Counted[];
  readonly #ownCount: number;

  constructor({ own, shared }: { own: readonly HandWritten[]; shared: readonly HandWritten[] }) {
    const toCounted = (firstPlace: number, of: string) => (answer: HandWritten, index: number) => {
      const name = `hand-written answer ${index + 1}${of}`;
      const isMatch = matcherOf(answer, name);
      return { answer, name, firstSeed: (firstPlace + index) * seedDistance, isMatch, count: 0 };
    };
    this.#answers = [...own.map(toCounted(0, "")), ...shared.map(toCounted(maxAnswerCount, " of the configuration"))];
    this.#ownCount = own.length;
  }

  get isEmpty(): boolean {
    return this.#answers.length === 0;
  }

  /** Whether an answer is for certain paths, which requests of any kind can have. */
  get hasPaths(): boolean {
    return this.#answers.some(({ answer }) => answer.path !== undefined);
  }

  /** Takes the first answer that is left for a message, of those that its request can have. */
  take(text: string, isPossible: (answer: HandWritten) => boolean): GivenAnswer | undefined {
    const found = this.#answers.find(({ answer, isMatch, count }) => {
      const { times = Number.POSITIVE_INFINITY } = answer;
      return count < times && isPossible(answer) && isMatch(text);
    });
    if (!found) return undefined;
    found.count += 1;
    const { answer, name, firstSeed, count } = found;
    return { answer, name, seed: firstSeed + count };
  }

  /** Returns a note for each answer of the test itself that no call got. */
  describeUnused(): string[] {
    const isEndless = ({ answer: { when, model, host, path, times } }: Counted) =>
      (when ?? model ?? host ?? path ?? times) === undefined;
    const first = this.#answers.findIndex(isEndless);
    return this.#answers.slice(0, this.#ownCount).flatMap(({ count }, index) => {
      if (count > 0) return [];
      const isHidden = first >= 0 && first < index;
      const why = isHidden ? `answer ${first + 1} is given to every call before it` : "it matched no call";
      return [`Answer ${index + 1} was not used; ${why}.`];
    });
  }
}
