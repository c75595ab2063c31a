import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import {
  accountKeysSchema,
  graceEndSchema,
  keyAdditionSchema,
  keyDetailSchema,
  keyEndSchema,
  keyParamsSchema,
  keyRotationSchema,
  newKeySchema,
  rotateKeyQuerySchema,
} from "./schemas";

const limited = { tag: "Keys and billing", auth: "required", limited: true, cacheControl: "no-store" } as const;
const shared = { ...limited, servedAtLimit: true } as const;

export const rotateKeyEndpoint = defineEndpoint({
  ...limited,
  id: "rotateKey",
  method: "POST",
  path: "/api/v1/keys/rotate",
  summary: "Rotate the calling key",
  description:
    "Replaces the calling key with a new one that has the same account, limit and expiry. The old key stops working immediately, or after 24 hours with `grace=true`. A key can be rotated once: of two concurrent rotations, one succeeds and the other gets a 401.",
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
});

export const getKeyEndpoint = defineEndpoint({
  ...shared,
  id: "getKey",
  method: "GET",
  path: "/api/v1/keys",
  summary: "Get the calling key",
  description:
    "Returns the calling key's tier and expiry, its account's subscription, and the keys that it replaced and that still work because they were rotated with grace.",
  responses: {
    200: jsonResponse("The key, without its text.", keyDetailSchema, {
      tier: "starter",
      plan: "starter",
      subscription: { status: "active", renews_at: "2026-12-21T09:30:00.000Z", ends_at: null, grace_until: null },
      last_four: "4f2Q",
      created_at: "2026-11-21T09:30:00.000Z",
      works_until: null,
      previous_keys: [{ last_four: "9aXc", works_until: "2026-11-22T09:30:00.000Z" }],
    }),
  },
  errors: {},
});

export const endGraceEndpoint = defineEndpoint({
  ...shared,
  id: "endGrace",
  method: "DELETE",
  path: "/api/v1/keys/previous",
  summary: "End the grace period of the previous keys",
  description:
    "Ends the keys that the calling key replaced and that still work because they were rotated with grace. They stop working immediately. Calling it again ends none.",
  responses: { 200: jsonResponse("How many keys ended.", graceEndSchema, { ended: 1 }) },
  errors: {},
});

const exampleId = "019aa5d0-3c20-7e41-8b5a-0f1e2d3c4b5a";

export const listAccountKeysEndpoint = defineEndpoint({
  ...shared,
  id: "listAccountKeys",
  method: "GET",
  path: "/api/v1/keys/account",
  summary: "List the keys of the account",
  description: "Returns the keys of the calling key's account that work, with the day on which each was used last.",
  responses: {
    200: jsonResponse("The keys, without their texts.", accountKeysSchema, {
      keys: [
        {
          id: exampleId,
          name: "CI",
          last_four: "4f2Q",
          created_at: "2026-11-21T09:30:00.000Z",
          works_until: null,
          used_on: "2026-11-23",
          is_calling: true,
        },
      ],
    }),
  },
  errors: {},
});

export const addKeyEndpoint = defineEndpoint({
  ...shared,
  id: "addKey",
  method: "POST",
  path: "/api/v1/keys",
  summary: "Create another key of the account",
  description:
    "Creates a key with a name, for the account of the calling key. It shares the daily count and the webhooks of the calling key, expires with it at the latest, and keeps working if that key is ended, revoked or rotated. An account can have 20 keys that work.",
  body: newKeySchema,
  bodyExample: { name: "CI", expires_in_days: 90 },
  responses: {
    201: jsonResponse("The new key.", keyAdditionSchema, {
      new_key: "ltf_00000000000000000000000000000000000000",
      id: exampleId,
      name: "CI",
      works_until: "2027-02-19T09:30:00.000Z",
      note: "Store the key now: it is not shown again.",
    }),
  },
  errors: {
    bad_request: "`name` or `expires_in_days` is invalid.",
    conflict: "The name is taken, the account has 20 keys, or the calling key was rotated.",
    payload_too_large: "The body is larger than 64 KiB.",
  },
});

export const endKeyEndpoint = defineEndpoint({
  ...shared,
  id: "endKey",
  method: "DELETE",
  path: "/api/v1/keys/{id}",
  summary: "End another key of the account",
  description:
    "Ends a key of the calling key's account, which stops working at once. Webhooks that it created end with it.",
  params: keyParamsSchema,
  responses: { 200: jsonResponse("The key ended.", keyEndSchema, { ended: true, id: exampleId }) },
  errors: {
    not_found: "The account has no working key with this id.",
    conflict: "It is the calling key, which can be rotated instead.",
  },
});

export const keyEndpoints = [
  rotateKeyEndpoint,
  getKeyEndpoint,
  endGraceEndpoint,
  listAccountKeysEndpoint,
  addKeyEndpoint,
  endKeyEndpoint,
];
