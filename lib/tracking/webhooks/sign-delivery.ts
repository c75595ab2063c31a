import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";

type Message = {
  /** The same for each attempt, so that receivers can detect duplicates. */
  id: string;
  body: string;
  /** Time of the attempt. */
  at: Date;
};

/** The current secret, followed by previous ones that are still valid. */
export type SigningSecrets = readonly [string, ...string[]];

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
