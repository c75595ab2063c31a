import type { Clock } from "#lib/platform/clock";
import { DecryptionError, type EncryptionKeys } from "#lib/platform/encryption";
import { type guardedFetch, OutboundError } from "#lib/platform/outbound/index";
import { parseRetryAfter } from "#lib/platform/retry-after";
import { version } from "#lib/platform/version";
import { openSecret } from "../secrets";
import { type SigningSecrets, signDelivery } from "../sign-delivery";
import type { ClaimedDelivery } from "./store";

/** What is kept of an answer's body, in bytes. */
const excerptByteSize = 1_024;

/** The beginning of an answer as text of at most `excerptByteSize` bytes; null where there is none. */
export function excerptOf(body: Uint8Array): string | null {
  // The database takes every character but this one.
  const text = new TextDecoder().decode(body.subarray(0, excerptByteSize)).replaceAll("\0", "\u{FFFD}");
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(excerptByteSize));
  return read === 0 ? null : text.slice(0, read);
}

/** Longest time of one attempt, from the look-up of the name to the end of the answer. */
export const attemptTimeoutMs = 10_000;

/** What came of one POST. */
export type Attempt = {
  at: Date;
  durationMs: number;
  /** Null where no answer began. */
  httpStatus: number | null;
  /** Why there was no answer; null where there was one. Names the host, and no path. */
  error: string | null;
  responseExcerpt: string | null;
  retryAfterMs: number | null;
  isDelivered: boolean;
  /** Whether nothing was sent, for a reason that is not the receiver's. */
  isOurFault: boolean;
};

export type PostContext = { clock: Clock; fetch: typeof guardedFetch; keys: EncryptionKeys; signal?: AbortSignal };

function secretsOf(
  { webhookId, secret, previousSecret, previousSecretUntil }: ClaimedDelivery,
  keys: EncryptionKeys,
  at: Date,
): SigningSecrets {
  const current = openSecret(keys, webhookId, secret);
  const isPreviousGood = previousSecret !== null && previousSecretUntil !== null && at < previousSecretUntil;
  return isPreviousGood ? [current, openSecret(keys, webhookId, previousSecret)] : [current];
}

const isSuccess = (status: number | null) => status !== null && status >= 200 && status <= 299;

type Answer = Pick<Attempt, "httpStatus" | "error" | "responseExcerpt" | "retryAfterMs">;

async function send(
  { clock, fetch, signal }: PostContext,
  { url, body }: ClaimedDelivery,
  signed: Record<string, string>,
): Promise<Answer | null> {
  let httpStatus: number | null = null;
  const noted = (status: number) => {
    httpStatus = status;
    return true;
  };
  try {
    const answer = await fetch(url, {
      ...{ method: "POST", body, maxRedirects: 0, clock, signal, wantsBody: noted },
      ...{ headersTimeoutMs: attemptTimeoutMs, totalTimeoutMs: attemptTimeoutMs },
      ...{ maxBodyByteSize: excerptByteSize, overflow: "truncate" },
      headers: {
        ...{ "content-type": "application/json", accept: "*/*", "user-agent": `Tapedeck-Webhooks/${version}` },
        ...signed,
      },
    });
    const retryAfterMs = parseRetryAfter(answer.headers["retry-after"], clock.now());
    return { httpStatus: answer.status, error: null, responseExcerpt: excerptOf(answer.body), retryAfterMs };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.reason === "aborted") return null;
    // An answer whose status came counts by it, although its body did not end well.
    return { httpStatus, error: error.message, responseExcerpt: null, retryAfterMs: null };
  }
}

/** Signs and sends a delivery once, through the guard. Null where the signal ended it: nothing is known of it then. */
export async function postDelivery(context: PostContext, delivery: ClaimedDelivery): Promise<Attempt | null> {
  const { clock, keys } = context;
  const [at, startedMs] = [clock.now(), clock.monotonicMs()];
  const { eventId: id, body } = delivery;
  let signed: Record<string, string>;
  try {
    signed = signDelivery(secretsOf(delivery, keys, at), { id, body, at });
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    const message = "this service could not read the signing secret; rotate it, or ask the operator";
    const nothing = { httpStatus: null, responseExcerpt: null, retryAfterMs: null, durationMs: 0 };
    return { at, ...nothing, error: message, isDelivered: false, isOurFault: true };
  }
  const answer = await send(context, delivery, signed);
  if (!answer) return null;
  const durationMs = Math.round(clock.monotonicMs() - startedMs);
  return { at, durationMs, ...answer, isDelivered: isSuccess(answer.httpStatus), isOurFault: false };
}
