import { receiveEvent, receiveEventEndpoint } from "#lib/accounts/purchases/index";
import { handle, routes } from "#lib/server/http/route";

export const dynamic = "force-dynamic";
/** Seconds: one event can take a few calls to the provider. */
export const maxDuration = 60;
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(receiveEventEndpoint, receiveEvent));
