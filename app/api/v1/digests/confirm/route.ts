import { handle, routes } from "#lib/server/http/route";
import { confirmDigestEndpoint, getConfirmationEndpoint } from "#lib/tracking/digests/index";
import { confirm, showConfirmation } from "../answer-links";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getConfirmationEndpoint, showConfirmation),
  handle(confirmDigestEndpoint, confirm),
);
