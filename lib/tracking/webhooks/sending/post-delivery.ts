import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type { Clock } from "#lib/platform/clock";
import { DecryptionError, type EncryptionKeys } from "#lib/platform/encryption";
import { type guardedFetch, OutboundError } from "#lib/platform/outbound/index";
import { parseRetryAfter } from "#lib/platform/retry-after";
import { version } from "#lib/platform/version";
import { openSecrets } from "../secrets";
import { bodyInFormat } from "./chat-formats";
import type { ClaimedDelivery } from "./store";

type Message = {
  /** The same for each attempt, so that receivers can detect duplicates. */
  id: string;
  body: string;
  /** Time of the attempt. */
  at: Date;
};

/** The current secret, followed by previous ones that are still valid. */
type SigningSecrets = readonly [string, ...string[]];

/** Returns `X-LTF-Signature`: the HMAC-SHA256 of the body, keyed with the entire secret string as UTF-8. */
function plainSignature(secret: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

/**
 * Returns the signature headers of a message: `X-LTF-Signature` with the current secret, and `webhook-signature` of
 * Standard Webhooks with each secret (https://www.standardwebhooks.com; the key is the base64 after `whsec_`).
 */
export function signDelivery(secrets: SigningSecrets, { id, body, at }: Message): Record<string, string> {
  return {
    "x-ltf-signature": plainSignature(secrets[0], body),
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(" "),
  };
}

/** Bytes of a response body that are stored. */
const excerptByteSize = 1_024;

/** Returns the beginning of a response body as text of at most `excerptByteSize` bytes; null if it is empty. */
function excerptOf(body: Uint8Array): string | null {
  // NUL is the only character that PostgreSQL does not accept in text.
  const text = new TextDecoder().decode(body.subarray(0, excerptByteSize)).replaceAll("\0", "\u{FFFD}");
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(excerptByteSize));
  return read === 0 ? null : text.slice(0, read);
}

/** Longest duration of an attempt, from the DNS lookup to the end of the response. */
export const attemptTimeoutMs = 10_000;

/** Result of one POST. */
export type Attempt = {
  at: Date;
  durationMs: number;
  /** Null if no response was received. */
  httpStatus: number | null;
  /** Why there was no complete response; null if there was one, or a 2xx. Names the host but not the path. */
  error: string | null;
  responseExcerpt: string | null;
  retryAfterMs: number | null;
  isDelivered: boolean;
  /** Whether nothing was sent because of a problem on this side. */
  isInternalError: boolean;
};

export type PostContext = { clock: Clock; fetch: typeof guardedFetch; keys: EncryptionKeys; signal?: AbortSignal };

const isSuccess = (status: number | null) => status !== null && status >= 200 && status <= 299;

type Answer = Pick<Attempt, "httpStatus" | "error" | "responseExcerpt" | "retryAfterMs">;

async function send(
  { clock, fetch, signal }: PostContext,
  { url, body }: Pick<ClaimedDelivery, "url" | "body">,
  signed: Record<string, string>,
): Promise<Answer | null> {
  let httpStatus: number | null = null;
  const noteStatus = (status: number) => {
    httpStatus = status;
    return true;
  };
  try {
    const answer = await fetch(url, {
      method: "POST",
      body,
      maxRedirects: 0,
      clock,
      signal,
      wantsBody: noteStatus,
      headersTimeoutMs: attemptTimeoutMs,
      totalTimeoutMs: attemptTimeoutMs,
      maxBodyByteSize: excerptByteSize,
      overflow: "truncate",
      headers: {
        "content-type": "application/json",
        accept: "*/*",
        "user-agent": `Tapedeck-Webhooks/${version}`,
        ...signed,
      },
    });
    const retryAfterMs = parseRetryAfter(answer.headers["retry-after"], clock.now());
    return { httpStatus: answer.status, error: null, responseExcerpt: excerptOf(answer.body), retryAfterMs };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.reason === "aborted") return null;
    // A response counts by its status even if its body was incomplete: a 2xx is an answer without an error.
    const failure = isSuccess(httpStatus) ? null : error.message;
    return { httpStatus, error: failure, responseExcerpt: null, retryAfterMs: null };
  }
}

/** Signs a delivery and sends it once through the outbound guard. Returns null if aborted: the result is unknown. */
export async function postDelivery(context: PostContext, delivery: ClaimedDelivery): Promise<Attempt | null> {
  const { clock, keys } = context;
  const [at, startedMs] = [clock.now(), clock.monotonicMs()];
  const id = delivery.eventId;
  const body = bodyInFormat(delivery.format, delivery.body);
  let signed: Record<string, string>;
  try {
    signed = signDelivery(openSecrets(keys, delivery.webhookId, delivery, at), { id, body, at });
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    const message = "the signing secret could not be decrypted; rotate it, or ask the operator";
    const unsent = { httpStatus: null, responseExcerpt: null, retryAfterMs: null, durationMs: 0 };
    return { at, ...unsent, error: message, isDelivered: false, isInternalError: true };
  }
  const answer = await send(context, { url: delivery.url, body }, signed);
  if (!answer) return null;
  const durationMs = Math.round(clock.monotonicMs() - startedMs);
  return { at, durationMs, ...answer, isDelivered: isSuccess(answer.httpStatus), isInternalError: false };
}
