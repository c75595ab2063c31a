import { defineEndpoint } from "#lib/contract/endpoint";
import { keyRotationSchema, rotateKeyQuerySchema } from "./schemas";

export const rotateKeyEndpoint = defineEndpoint({
  id: "rotateKey",
  method: "POST",
  path: "/api/v1/keys/rotate",
  tag: "Keys and billing",
  summary: "Rotate the calling key",
  description:
    "Replaces the calling key with a new one that has the same account, limit and expiry. The old key stops working immediately, or after 24 hours with `grace=true`. A key can be rotated once: of two concurrent rotations, one succeeds and the other gets a 401.",
  auth: "required",
  limited: true,
  query: rotateKeyQuerySchema,
  responses: {
    200: {
      description: "The new key.",
      body: {
        type: "application/json",
        schema: keyRotationSchema,
        example: {
          new_key: "ltf_00000000000000000000000000000000000000",
          rotated_at: "2026-11-21T09:30:00.000Z",
          note: "Store the new key now: it is not shown again. The old key works until 2026-11-22T09:30:00.000Z.",
          grace_period: "24 hours",
        },
      },
    },
  },
  errors: { bad_request: "`grace` is not `true`." },
  cacheControl: "no-store",
});

export const keyEndpoints = [rotateKeyEndpoint];
