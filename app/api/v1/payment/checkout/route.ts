import { jsonReply } from "#lib/http/reply";
import { handle, routes } from "#lib/http/route";
import { createCheckout, createCheckoutEndpoint } from "#lib/purchases/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(createCheckoutEndpoint, async (context, input) => {
    const { checkout, cookie } = await createCheckout(context, input);
    return jsonReply(checkout, 200, { "Set-Cookie": cookie });
  }),
);
