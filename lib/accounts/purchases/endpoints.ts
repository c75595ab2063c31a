import { defineEndpoint } from "#lib/contract/endpoint";
import { checkoutRequestSchema, checkoutSchema, eventReceiptSchema, portalSchema, revealedKeySchema } from "./schemas";

const tag = "Keys and billing";
const notConfigured =
  "Payment is not configured here (the message names what is missing), or the provider did not answer.";

export const createCheckoutEndpoint = defineEndpoint({
  id: "createCheckout",
  method: "POST",
  path: "/api/v1/payment/checkout",
  tag,
  summary: "Begin the purchase of a tier",
  description:
    "Gives the address of the payment provider's page. Send the browser there that asked: it gets a cookie by which it is known when it comes back to `/welcome`, where the key is shown once.",
  auth: "none",
  body: checkoutRequestSchema,
  bodyExample: { tier: "starter" },
  answers: {
    200: {
      description: "The purchase has begun.",
      headers: {
        "Set-Cookie": {
          description: "What the browser is known by when it comes back; no script can read it.",
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
    bad_request: "The tier is neither `starter` nor `pro`, or the body is no JSON.",
    payload_too_large: "The body is larger than 64 KiB.",
    internal_error: notConfigured,
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
    "Makes the key of a paid purchase and shows it to the browser that began it, which the cookie of `createCheckout` tells. It works once; nothing keeps the plain key. The page `/welcome` asks with a form and gets a page; JSON gets JSON.",
  auth: "none",
  rawBodyByteSize: 4 * 1024,
  bodyExample: { session_id: "cs_test_a1B2c3" },
  answers: {
    200: {
      description: "The key, this once.",
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
    },
  },
  errors: {
    bad_request: "`session_id` is missing or malformed.",
    forbidden: "This is not the browser that began the purchase.",
    not_found: "There is no such purchase.",
    conflict: "The key was shown before, or the payment is not there (yet).",
    payload_too_large: "The body is larger than 4 KiB.",
    internal_error: notConfigured,
    service_unavailable: "No database is configured.",
  },
  cacheControl: "no-store",
});

export const openPortalEndpoint = defineEndpoint({
  id: "openPortal",
  method: "POST",
  path: "/api/v1/payment/portal",
  tag,
  summary: "Open the payment portal of the calling key's account",
  description:
    "Gives the address of the payment provider's page on which the customer sees to cards, invoices, tier and cancellation. The address works for minutes and for one customer: do not share it.",
  auth: "required",
  limited: true,
  answers: {
    200: {
      description: "The portal.",
      body: {
        type: "application/json",
        schema: portalSchema,
        example: { url: "https://billing.stripe.com/p/session/test_a1B2c3" },
      },
    },
  },
  errors: {
    not_found: "The account pays for nothing here: its key was issued by the operator.",
    internal_error: notConfigured,
  },
});

export const receiveEventEndpoint = defineEndpoint({
  id: "receivePaymentEvent",
  method: "POST",
  path: "/api/webhooks/stripe",
  tag: "Operations",
  summary: "Receive an event of the payment provider",
  description:
    "For the payment provider alone, which signs its events in `Stripe-Signature`. Each is taken in once by its id, in whatever order they come; what is about nothing of ours is received and left.",
  auth: "none",
  requestHeaders: {
    "Stripe-Signature": { description: "Time and signature of the body.", schema: { type: "string" } },
  },
  rawBodyByteSize: 512 * 1024,
  bodyExample: {
    id: "evt_1",
    type: "checkout.session.completed",
    created: 1795255200,
    data: { object: { id: "cs_1" } },
  },
  answers: {
    200: {
      description: "The event was received.",
      body: { type: "application/json", schema: eventReceiptSchema, example: { received: true } },
    },
  },
  errors: {
    bad_request: "The signature is missing, wrong or older than 5 minutes, or the body is no event.",
    payload_too_large: "The body is larger than 512 KiB.",
    internal_error: `${notConfigured} The provider sends the event again.`,
    service_unavailable: "No database is configured.",
  },
});

export const purchaseEndpoints = [createCheckoutEndpoint, revealKeyEndpoint, openPortalEndpoint, receiveEventEndpoint];
