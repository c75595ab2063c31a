import {
  endGraceEndpoint,
  endPreviousKeys,
  getKey,
  getKeyEndpoint,
  rotateKey,
  rotateKeyEndpoint,
} from "#lib/accounts/keys/index";
import { getPricing, getPricingEndpoint } from "#lib/accounts/plans/index";
import {
  createCheckout,
  createCheckoutEndpoint,
  openPortal,
  openPortalEndpoint,
  receiveEvent,
  receiveEventEndpoint,
  revealKeyEndpoint,
} from "#lib/accounts/purchases/index";
import { bindWith } from "#lib/server/http/bindings";
import { jsonReply } from "#lib/server/http/reply";
import { withProducts } from "#lib/server/products";
import { answerReveal } from "../standalone-pages/reveal-key";

const bind = bindWith(withProducts);

export const bindings = [
  bind(getPricingEndpoint, getPricing),
  bind(getKeyEndpoint, getKey),
  bind(rotateKeyEndpoint, rotateKey),
  bind(endGraceEndpoint, endPreviousKeys),
  bind(createCheckoutEndpoint, async (context, input) => {
    const { checkout, cookie } = await createCheckout(context, input);
    return jsonReply(checkout, 200, { "Set-Cookie": cookie });
  }),
  bind(openPortalEndpoint, openPortal),
  bind(revealKeyEndpoint, answerReveal),
  bind(receiveEventEndpoint, receiveEvent),
];
