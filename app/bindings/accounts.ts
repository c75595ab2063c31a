import * as keyMail from "#lib/accounts/key-mail/index";
import * as keys from "#lib/accounts/keys/index";
import { getPricing, getPricingEndpoint } from "#lib/accounts/plans/index";
import * as purchases from "#lib/accounts/purchases/index";
import { bindWith } from "#lib/server/http/bindings";
import { jsonReply } from "#lib/server/http/reply";
import { withProducts } from "#lib/server/products";
import { answerIssue, showKeyLink } from "../standalone-pages/key-link";
import { answerReveal } from "../standalone-pages/reveal-key";

const bind = bindWith(withProducts);

export const bindings = [
  bind(getPricingEndpoint, getPricing),
  bind(keys.getKeyEndpoint, keys.getKey),
  bind(keys.rotateKeyEndpoint, keys.rotateKey),
  bind(keys.endGraceEndpoint, keys.endPreviousKeys),
  bind(keys.listAccountKeysEndpoint, keys.listAccountKeys),
  bind(keys.addKeyEndpoint, keys.addKey),
  bind(keys.endKeyEndpoint, keys.endKey),
  bind(keyMail.requestKeyEndpoint, keyMail.requestKey),
  bind(keyMail.getKeyLinkEndpoint, showKeyLink),
  bind(keyMail.issueKeyEndpoint, answerIssue),
  bind(purchases.createCheckoutEndpoint, async (context, input) => {
    const { checkout, cookie } = await purchases.createCheckout(context, input);
    return jsonReply(checkout, 200, { "Set-Cookie": cookie });
  }),
  bind(purchases.openPortalEndpoint, purchases.openPortal),
  bind(purchases.revealKeyEndpoint, answerReveal),
  bind(purchases.receiveEventEndpoint, purchases.receiveEvent),
];
