import { createCheckout, createCheckoutEndpoint } from "#lib/accounts/purchases/index";
import { jsonReply } from "#lib/server/http/reply";
import { handle, routes } from "#lib/server/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(createCheckoutEndpoint, async (context, input) => {
    const { checkout, cookie } = await createCheckout(context, input);
    return jsonReply(checkout, 200, { "Set-Cookie": cookie });
  }),
);
