import { handle, routes } from "#lib/server/http/route";
import { changeDigest, changeDigestEndpoint, deleteDigest, deleteDigestEndpoint } from "#lib/tracking/digests/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(changeDigestEndpoint, changeDigest),
  handle(deleteDigestEndpoint, deleteDigest),
);
