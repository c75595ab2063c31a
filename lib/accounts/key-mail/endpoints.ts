import { maxMailsPerMailbox, maxMailsPerSender } from "#lib/accounts/limits/index";
import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { invalidToken, linked, page, posted, tooLarge } from "#lib/contract/mail-links";
import { keyMailBodySchema, keyMailSchema } from "./schemas";

const tag = "Keys and billing";
const notConfigured = "E-mail, `ENCRYPTION_KEYS` or the database is not configured.";
const invalidLink = "The link was used or is older than 24 hours, or a later mail has another one.";
const path = "/api/v1/keys/mail/link";

export const requestKeyEndpoint = defineEndpoint({
  id: "requestKey",
  method: "POST",
  path: "/api/v1/keys/mail",
  tag,
  summary: "Mail a link that issues a key",
  description: `Mails a link to an address, for a lost key or a first one. It issues a key for the account of that mailbox (an address without its \`+tag\`), such as that of a purchase, else one of the free tier if the operator allows it. The answer is the same whether there is an account. The link is valid for 24 hours, once, and replaces that of an earlier mail. At most ${maxMailsPerMailbox} mails with a link a day are sent to a mailbox, and ${maxMailsPerSender} for a client's network.`,
  auth: "none",
  body: keyMailBodySchema,
  bodyExample: { email: "you@example.com" },
  responses: {
    202: jsonResponse("The mail was sent.", keyMailSchema, {
      note: "A mail with a link is on its way. Its page shows your key, once.",
      expires_at: "2026-11-24T09:00:00.000Z",
    }),
  },
  errors: {
    bad_request: "`email` is not an address, or the mail server refuses it.",
    payload_too_large: "The body is larger than 64 KiB.",
    rate_limited: "The mails of the day to this mailbox or for the client's network are used up.",
    service_unavailable: `${notConfigured} Or the mail server did not take the mail.`,
  },
  cacheControl: "no-store",
});

const errorTypes = { ...linked.errorTypes, conflict: ["text/html"] } as const;
const signUpClosed = "The address has no account, and the operator gives no keys to new addresses.";

export const getKeyLinkEndpoint = defineEndpoint({
  ...linked,
  id: "getKeyLink",
  method: "GET",
  path,
  tag,
  summary: "Show the page that issues a key",
  description: "Shows a form, and changes nothing: programs that check mails open their links.",
  responses: { 200: page("A page with a form.") },
  errorTypes,
  errors: {
    bad_request: invalidToken,
    not_found: invalidLink,
    conflict: signUpClosed,
    service_unavailable: "No database is configured.",
  },
});

export const issueKeyEndpoint = defineEndpoint({
  ...linked,
  ...posted,
  id: "issueKey",
  path,
  tag,
  summary: "Issue the key of a link",
  description:
    "Issues a key and shows it on a page, once. The older keys of the account stop working at once, unless the form field `keep_keys` is `on`. The account keeps its tier, and the new key the request count and webhooks of the latest one. `account` is one of those on the page; default: the one with the highest tier. Issuing the key and using up the link are one transaction.",
  responses: { 200: page("A page with the key.") },
  errorTypes,
  errors: {
    bad_request: `${invalidToken} Or a field of the form is invalid.`,
    not_found: invalidLink,
    conflict: signUpClosed,
    payload_too_large: tooLarge,
    service_unavailable: "No database is configured.",
  },
});

export const keyMailEndpoints = [requestKeyEndpoint, getKeyLinkEndpoint, issueKeyEndpoint];
