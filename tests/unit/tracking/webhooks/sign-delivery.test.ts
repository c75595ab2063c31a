import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { generateSecret } from "#lib/tracking/webhooks/secrets";
import { signDelivery } from "#lib/tracking/webhooks/sending/post-delivery";

describe("a signed delivery", () => {
  it("passes with the new and the previous secret after a rotation, X-LTF-Signature with the new one only", () => {
    const [current, previous] = [generateSecret(), generateSecret()];
    const headers = signDelivery([current, previous], { id: "e", body: "{}", at: new Date() });
    expect(headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    for (const secret of [current, previous]) expect(new Webhook(secret).verify("{}", headers)).toEqual({});
    const plain = createHmac("sha256", current).update("{}").digest("hex");
    expect(headers["x-ltf-signature"]).toBe(`sha256=${plain}`);
  });
});
