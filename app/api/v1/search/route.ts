import { search, searchEndpoint } from "#lib/discovery/search/index";
import { handle, routes } from "#lib/server/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(searchEndpoint, (context, { query }) => search(context, query)),
);
