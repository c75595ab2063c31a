import { handle, routes } from "#lib/server/http/route";
import { redeliver, redeliverEndpoint } from "#lib/tracking/webhooks/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(redeliverEndpoint, redeliver));
