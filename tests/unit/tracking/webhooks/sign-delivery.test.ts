import { createHmac, timingSafeEqual } from "node:crypto";
import * as fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { generateSecret } from "#lib/tracking/webhooks/secrets";
import { signDelivery } from "#lib/tracking/webhooks/sending/post-delivery";

const secrets = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString("base64")}`);
const body = fc.oneof(
  fc.json(),
  fc.string({ unit: "binary" }).map((text) => JSON.stringify({ text })),
);
const message = fc.record({ id: fc.uuid(), body });

describe("a signed delivery", () => {
  it("passes the verifier of Standard Webhooks, and fails with another secret, body, id or time", () => {
    fc.assert(
      fc.property(secrets, secrets, message, (secret, other, { id, body: text }) => {
        fc.pre(secret !== other);
        const headers = signDelivery([secret], { id, body: text, at: new Date() });
        const verify = (key: string, payload: string, changed: Record<string, string> = {}) =>
          new Webhook(key).verify(payload, { ...headers, ...changed });
        expect(verify(secret, text)).toEqual(JSON.parse(text));
        expect(() => verify(other, text)).toThrow();
        expect(() => verify(secret, `${text} `)).toThrow();
        expect(() => verify(secret, text, { "webhook-id": `${id}x` })).toThrow();
        const later = String(Number(headers["webhook-timestamp"]) + 1);
        expect(() => verify(secret, text, { "webhook-timestamp": later })).toThrow();
      }),
    );
  });

  it("has both signatures as computed with node:crypto, each with its own key, over the same bytes", () => {
    fc.assert(
      fc.property(
        secrets,
        message,
        fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true }),
        (secret, { id, body: text }, at) => {
          const headers = signDelivery([secret], { id, body: text, at });
          const bytes = Buffer.from(text, "utf8");
          const plain = createHmac("sha256", Buffer.from(secret, "utf8")).update(bytes).digest();
          const given = /^sha256=([0-9a-f]{64})$/.exec(headers["x-ltf-signature"] ?? "")?.[1] ?? "";
          expect(timingSafeEqual(plain, Buffer.from(given, "hex"))).toBe(true);
          const seconds = Math.floor(at.getTime() / 1_000);
          const standard = createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"))
            .update(Buffer.concat([Buffer.from(`${id}.${seconds}.`), bytes]))
            .digest("base64");
          expect([headers["webhook-signature"], headers["webhook-timestamp"]]).toEqual([
            `v1,${standard}`,
            String(seconds),
          ]);
        },
      ),
    );
  });

  it("passes with the new and the previous secret after a rotation, X-LTF-Signature with the new one only", () => {
    const [current, previous] = [generateSecret(), generateSecret()];
    const headers = signDelivery([current, previous], { id: "e", body: "{}", at: new Date() });
    expect(headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    for (const secret of [current, previous]) expect(new Webhook(secret).verify("{}", headers)).toEqual({});
    const plain = createHmac("sha256", current).update("{}").digest("hex");
    expect(headers["x-ltf-signature"]).toBe(`sha256=${plain}`);
  });
});
