import { maxMailsPerMailbox, maxMailsPerSender } from "#lib/accounts/limits/index";
import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { invalidToken, linked, page, posted, tooLarge } from "#lib/contract/mail-links";
import { maxFilterVendorCount } from "#lib/tracking/change-filters/index";
import {
  changeDigestBodySchema,
  createDigestBodySchema,
  digestAnswerSchema,
  digestDeletionSchema,
  digestListSchema,
  digestParamsSchema,
  maxDigestCount,
} from "./schemas";

const exampleId = "019aa5d0-3c20-7e41-8b5a-0f1e2d3c4b5a";
const exampleFilters = { vendors: ["quarrydb"], min_significance: 3 };
const exampleDigest = {
  id: exampleId,
  email: "team@example.com",
  frequency: "weekly" as const,
  status: "pending" as const,
  filters: exampleFilters,
  created_at: "2026-11-23T09:00:00.000Z",
  updated_at: "2026-11-23T09:00:00.000Z",
  confirm_by: "2026-11-24T09:00:00.000Z",
  confirmed_at: null,
  last_sent_at: null,
  disabled_at: null,
  disabled_reason: null,
};
const activeDigest = {
  ...exampleDigest,
  status: "active" as const,
  frequency: "daily" as const,
  confirm_by: null,
  confirmed_at: "2026-11-23T09:01:00.000Z",
  updated_at: "2026-11-23T10:00:00.000Z",
};

const notConfigured = "E-mail, `ENCRYPTION_KEYS` or the database is not configured.";
const answer = (description: string, example: unknown) => jsonResponse(description, digestAnswerSchema, example);
const shared = { tag: "E-mail", auth: "required", limited: true } as const;

export const listDigestsEndpoint = defineEndpoint({
  ...shared,
  id: "listDigests",
  method: "GET",
  path: "/api/v1/digests",
  summary: "List e-mail digests",
  description: "Returns the digests of the account, newest first, with their state.",
  responses: {
    200: jsonResponse("The digests.", digestListSchema, {
      _meta: { count: 1, limit: maxDigestCount },
      digests: [activeDigest],
    }),
  },
  errors: { service_unavailable: notConfigured },
});

export const createDigestEndpoint = defineEndpoint({
  ...shared,
  auth: "optional",
  id: "createDigest",
  method: "POST",
  path: "/api/v1/digests",
  summary: "Create an e-mail digest",
  description: `Mails changes of the vendors that the account's tier covers to an address, once it is confirmed: the address gets a mail with a link that is valid for 24 hours. An account can have ${maxDigestCount} digests. Without a key, \`filters.vendors\` is required and the only filter, and the address follows these vendors: its mails have what everyone may see of them, and confirming another list adds its vendors and sets the frequency. At most ${maxMailsPerMailbox} mails with a link a day are sent to a mailbox (an address without its \`+tag\`), and ${maxMailsPerSender} for an account or a client's network.`,
  body: createDigestBodySchema,
  bodyExample: { email: exampleDigest.email, frequency: exampleDigest.frequency, filters: exampleFilters },
  responses: { 201: answer("The digest was created, and waits for its confirmation.", { digest: exampleDigest }) },
  errors: {
    bad_request:
      "The body is invalid, the mail server refuses the address, a filter names an unknown vendor, or, without a key, is another one or names none.",
    payload_too_large: "The body is larger than 64 KiB.",
    conflict: `The account has ${maxDigestCount} digests, or one with this address that is active or waits for its confirmation.`,
    service_unavailable: `${notConfigured} Or the mail server did not take the mail.`,
  },
});

export const changeDigestEndpoint = defineEndpoint({
  ...shared,
  id: "changeDigest",
  method: "PATCH",
  path: "/api/v1/digests/{id}",
  summary: "Change an e-mail digest",
  description:
    "Changes the frequency, replaces the filters, or both. Filters apply to changes that are reported from then on.",
  params: digestParamsSchema,
  body: changeDigestBodySchema,
  bodyExample: { frequency: "daily" },
  responses: { 200: answer("The digest was changed.", { digest: activeDigest }) },
  errors: {
    bad_request: "The body is invalid, or a filter names an unknown vendor.",
    payload_too_large: "The body is larger than 64 KiB.",
    not_found: "The account has no digest with this id.",
    conflict: "The digest is disabled.",
    service_unavailable: notConfigured,
  },
});

export const deleteDigestEndpoint = defineEndpoint({
  ...shared,
  id: "deleteDigest",
  method: "DELETE",
  path: "/api/v1/digests/{id}",
  summary: "Delete an e-mail digest",
  description: "Deletes a digest with its address. A mail that is being sent at this moment may still arrive.",
  params: digestParamsSchema,
  responses: { 200: jsonResponse("The digest was deleted.", digestDeletionSchema, { deleted: true, id: exampleId }) },
  errors: { not_found: "The account has no digest with this id.", service_unavailable: notConfigured },
});

const invalidLink =
  "The link is older than 24 hours, its digest was deleted or disabled, or a later list of its address was confirmed.";
const unknownLink = "The link is not known, or its digest is already deleted.";
const noDatabase = "`ENCRYPTION_KEYS` or the database is not configured.";

export const getConfirmationEndpoint = defineEndpoint({
  ...linked,
  tag: "E-mail",
  id: "getDigestConfirmation",
  method: "GET",
  path: "/api/v1/digests/confirm",
  summary: "Show the page that confirms an address",
  description:
    "Shows a button, or that the address is already confirmed. Changes nothing: programs that check mails open their links.",
  responses: { 200: page("A page with a button, or that says that the address is already confirmed.") },
  errors: { bad_request: invalidToken, not_found: invalidLink, service_unavailable: noDatabase },
});

export const confirmDigestEndpoint = defineEndpoint({
  ...linked,
  tag: "E-mail",
  ...posted,
  id: "confirmDigest",
  path: "/api/v1/digests/confirm",
  summary: "Confirm the address of a digest",
  description:
    "Confirms the address that got the link; repeating it changes nothing. Changes that are reported from then on are mailed.",
  responses: { 200: page("The address was confirmed.") },
  errorTypes: { ...linked.errorTypes, conflict: ["text/html"] },
  errors: {
    bad_request: invalidToken,
    not_found: invalidLink,
    conflict: `An address that follows vendors without an account would follow more than ${maxFilterVendorCount}.`,
    payload_too_large: tooLarge,
    service_unavailable: noDatabase,
  },
});

export const getUnsubscriptionEndpoint = defineEndpoint({
  ...linked,
  tag: "E-mail",
  id: "getDigestUnsubscription",
  method: "GET",
  path: "/api/v1/digests/unsubscribe",
  summary: "Show the page that ends a digest",
  description: "Shows a button, and changes nothing.",
  responses: { 200: page("A page with a button.") },
  errors: { bad_request: invalidToken, not_found: unknownLink, service_unavailable: noDatabase },
});

export const unsubscribeEndpoint = defineEndpoint({
  ...linked,
  tag: "E-mail",
  ...posted,
  id: "unsubscribeFromDigest",
  path: "/api/v1/digests/unsubscribe",
  summary: "Unsubscribe from a digest",
  description:
    "The one-click unsubscription of RFC 8058: deletes the digest that sent the mail, with its address. The form on the page of a list without an account sends its vendors as fields `listed`, and those that stay as `keep`. Needs neither a key nor a cookie. With the body `List-Unsubscribe=One-Click` of mail programs it can be repeated; without it, an unknown token is 404.",
  responses: { 200: page("The digest is deleted, or the list is shorter.") },
  errorTypes: { ...linked.errorTypes, conflict: ["text/html"] },
  errors: {
    bad_request: invalidToken,
    not_found: unknownLink,
    conflict: "No vendor would stay on the list, or it is not mailed.",
    payload_too_large: tooLarge,
    service_unavailable: noDatabase,
  },
});

export const digestEndpoints = [
  listDigestsEndpoint,
  createDigestEndpoint,
  changeDigestEndpoint,
  deleteDigestEndpoint,
  getConfirmationEndpoint,
  confirmDigestEndpoint,
  getUnsubscriptionEndpoint,
  unsubscribeEndpoint,
];
