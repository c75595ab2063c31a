import { jsonReply } from "#lib/server/http/reply";
import { handle, routes } from "#lib/server/http/route";
import { createDigest, createDigestEndpoint, listDigests, listDigestsEndpoint } from "#lib/tracking/digests/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(listDigestsEndpoint, listDigests),
  handle(createDigestEndpoint, async (context, input) => jsonReply(await createDigest(context, input), 201)),
);
