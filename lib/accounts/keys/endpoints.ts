import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { graceEndSchema, keyDetailSchema, keyRotationSchema, rotateKeyQuerySchema } from "./schemas";

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
    200: jsonResponse("The new key.", keyRotationSchema, {
      new_key: "ltf_00000000000000000000000000000000000000",
      rotated_at: "2026-11-21T09:30:00.000Z",
      note: "Store the new key now: it is not shown again. The old key works until 2026-11-22T09:30:00.000Z.",
      grace_period: "24 hours",
    }),
  },
  errors: { bad_request: "`grace` is not `true`." },
  cacheControl: "no-store",
});

export const getKeyEndpoint = defineEndpoint({
  id: "getKey",
  method: "GET",
  path: "/api/v1/keys",
  tag: "Keys and billing",
  summary: "Get the calling key",
  description:
    "Returns the calling key's tier and expiry, and the keys that it replaced and that still work because they were rotated with grace.",
  auth: "required",
  limited: true,
  responses: {
    200: jsonResponse("The key, without its text.", keyDetailSchema, {
      tier: "starter",
      last_four: "4f2Q",
      created_at: "2026-11-21T09:30:00.000Z",
      works_until: null,
      previous_keys: [{ last_four: "9aXc", works_until: "2026-11-22T09:30:00.000Z" }],
    }),
  },
  errors: {},
  cacheControl: "no-store",
});

export const endGraceEndpoint = defineEndpoint({
  id: "endGrace",
  method: "DELETE",
  path: "/api/v1/keys/previous",
  tag: "Keys and billing",
  summary: "End the grace period of the previous keys",
  description:
    "Ends the keys that the calling key replaced and that still work because they were rotated with grace. They stop working immediately. Calling it again ends none.",
  auth: "required",
  limited: true,
  responses: { 200: jsonResponse("How many keys ended.", graceEndSchema, { ended: 1 }) },
  errors: {},
  cacheControl: "no-store",
});

export const keyEndpoints = [rotateKeyEndpoint, getKeyEndpoint, endGraceEndpoint];
