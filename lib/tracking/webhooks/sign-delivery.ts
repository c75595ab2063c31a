import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";

type Message = {
  /** The same at each attempt, so that a receiver knows what it has seen. */
  id: string;
  body: string;
  /** When the attempt is made. */
  at: Date;
};

/** The newest secret, and those before it that are still good. */
export type SigningSecrets = readonly [string, ...string[]];

/** `X-LTF-Signature`: HMAC-SHA256 of the body's bytes, keyed with the whole secret string as UTF-8. */
function plainSignature(secret: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

/**
 * Both signatures of a message, over the same bytes, as headers: `X-LTF-Signature` with the newest secret, and Standard
 * Webhooks' with each secret (https://www.standardwebhooks.com, whose key is the base64 after `whsec_`).
 */
export function signDelivery(secrets: SigningSecrets, { id, body, at }: Message): Record<string, string> {
  return {
    "x-ltf-signature": plainSignature(secrets[0], body),
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(" "),
  };
}
