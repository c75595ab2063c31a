import { handle, routes } from "#lib/server/http/route";
import { getUnsubscriptionEndpoint, unsubscribeEndpoint } from "#lib/tracking/digests/index";
import { endDigest, showUnsubscription } from "../answer-links";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getUnsubscriptionEndpoint, showUnsubscription),
  handle(unsubscribeEndpoint, endDigest),
);
