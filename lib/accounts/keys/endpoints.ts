import { defineEndpoint } from "#lib/contract/endpoint";
import { keyRotationSchema, rotateKeyQuerySchema } from "./schemas";

export const rotateKeyEndpoint = defineEndpoint({
  id: "rotateKey",
  method: "POST",
  path: "/api/v1/keys/rotate",
  tag: "Keys and billing",
  summary: "Rotate the calling key",
  description:
    "Issues a new key in the place of the calling one, with the same account, limit and expiry. The old key stops working at once, or after 24 hours with `grace=true`. A key is rotated once: of two rotations at once one wins and the other is 401.",
  auth: "required",
  limited: true,
  query: rotateKeyQuerySchema,
  answers: {
    200: {
      description: "The key was rotated.",
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
  errors: { bad_request: "`grace` is something else than `true`." },
  cacheControl: "no-store",
});

export const keyEndpoints = [rotateKeyEndpoint];
