import { defineEndpoint, jsonResponse, pageBody } from "#lib/contract/endpoint";
import {
  checkoutRequestSchema,
  checkoutSchema,
  eventReceiptSchema,
  portalSchema,
  revealedKeySchema,
  revealRequestSchema,
} from "./schemas";

const tag = "Keys and billing";
/** A form gets a page, and others JSON. */
const forForms = ["application/json", "text/html"] as const;
const notConfigured =
  "Payment is not configured on this server (the message names the missing settings), or the provider did not respond.";

export const createCheckoutEndpoint = defineEndpoint({
  id: "createCheckout",
  method: "POST",
  path: "/api/v1/payment/checkout",
  tag,
  summary: "Start the purchase of a tier",
  description:
    "Returns the URL of the payment provider's page. Redirect the calling browser to it. The response sets a cookie that identifies the browser when it returns to `/welcome`, where the key is shown once. A browser that sends the cookie has one open checkout: an earlier one expires. With a key, the purchase is for its account, whose keys get the tier; no new key is made.",
  auth: "optional",
  body: checkoutRequestSchema,
  bodyExample: { tier: "starter" },
  responses: {
    200: {
      description: "The payment page.",
      headers: {
        "Set-Cookie": {
          description: "Identifies the browser when it returns. Not readable by scripts.",
          schema: { type: "string" },
        },
      },
      body: {
        type: "application/json",
        schema: checkoutSchema,
        example: { url: "https://checkout.stripe.com/c/pay/cs_test_a1B2c3" },
      },
    },
  },
  errors: {
    bad_request: "The tier is neither `starter` nor `pro`, or the body is not JSON.",
    conflict:
      "The browser that sends the cookie has bought a tier in the last hour; or the account of the key has a subscription, which the portal changes, or already has the tier.",
    payload_too_large: "The body is larger than 64 KiB.",
    rate_limited: "The client's network has started 10 checkouts in this hour.",
    internal_error: `${notConfigured} Or the provider's price is not the one of the tier.`,
    service_unavailable: "No database is configured.",
  },
});

export const revealKeyEndpoint = defineEndpoint({
  id: "revealKey",
  method: "POST",
  path: "/api/v1/payment/reveal",
  tag,
  summary: "Show the key of a purchase, once",
  description:
    "Creates the key of a paid purchase and returns it to the browser that started the purchase, identified by the cookie of `createCheckout`. This works once, because the plain key is not stored. A form request gets a page, and a JSON request gets JSON.",
  auth: "none",
  body: revealRequestSchema,
  rawBodyByteSize: 4 * 1024,
  bodyExample: { session_id: "cs_test_a1B2c3" },
  responses: {
    200: {
      description: "The key. It is not shown again.",
      headers: { "Referrer-Policy": { description: "`no-referrer`.", schema: { type: "string" } } },
      body: {
        type: "application/json",
        schema: revealedKeySchema,
        example: {
          api_key: "ltf_00000000000000000000000000000000000000",
          tier: "starter",
          note: "Store the key now: it is not shown again. Send it as Authorization: Bearer <key>.",
        },
      },
      otherBodies: [pageBody],
    },
  },
  errors: {
    bad_request: "`session_id` is missing or malformed.",
    forbidden: "This is not the browser that started the purchase.",
    not_found: "There is no such purchase.",
    conflict: "The key was already shown, or the payment has not arrived.",
    payload_too_large: "The body is larger than 4 KiB.",
    internal_error: notConfigured,
    service_unavailable: "No database is configured.",
  },
  errorTypes: { bad_request: forForms, forbidden: forForms, not_found: forForms, conflict: forForms },
  cacheControl: "no-store",
});

export const openPortalEndpoint = defineEndpoint({
  id: "openPortal",
  method: "POST",
  path: "/api/v1/payment/portal",
  tag,
  summary: "Open the payment portal of the calling key's account",
  description:
    "Returns the URL of the payment provider's page, on which the customer manages cards, invoices, tier and cancellation. The URL is valid for a few minutes and for one customer: do not share it.",
  auth: "required",
  limited: true,
  servedAtLimit: true,
  responses: {
    200: jsonResponse("The portal's URL.", portalSchema, { url: "https://billing.stripe.com/p/session/test_a1B2c3" }),
  },
  errors: { not_found: "The account has no subscription, or its customer was deleted.", internal_error: notConfigured },
});

export const receiveEventEndpoint = defineEndpoint({
  id: "receivePaymentEvent",
  method: "POST",
  path: "/api/webhooks/stripe",
  tag: "Operations",
  summary: "Receive an event from the payment provider",
  description:
    "Only for the payment provider, which signs its events in `Stripe-Signature`. Each event is processed once, in any order of arrival. Events that do not concern this service are acknowledged and ignored.",
  auth: "none",
  // One event can take a few calls to the provider.
  maxDurationSeconds: 60,
  requestHeaders: {
    "Stripe-Signature": { description: "Timestamp and signature of the body.", schema: { type: "string" } },
  },
  rawBodyByteSize: 512 * 1024,
  bodyExample: {
    id: "evt_1",
    type: "checkout.session.completed",
    created: 1795255200,
    data: { object: { id: "cs_1" } },
  },
  responses: { 200: jsonResponse("The event was received.", eventReceiptSchema, { received: true }) },
  errors: {
    bad_request: "The signature is missing, wrong or older than 5 minutes, or the body is not an event.",
    payload_too_large: "The body is larger than 512 KiB.",
    internal_error: `${notConfigured} The provider retries the event.`,
    service_unavailable: "No database is configured.",
  },
});

export const purchaseEndpoints = [createCheckoutEndpoint, revealKeyEndpoint, openPortalEndpoint, receiveEventEndpoint];
