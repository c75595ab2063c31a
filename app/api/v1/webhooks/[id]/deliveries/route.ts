import { handle, routes } from "#lib/server/http/route";
import { listDeliveries, listDeliveriesEndpoint } from "#lib/tracking/webhooks/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(listDeliveriesEndpoint, listDeliveries));
