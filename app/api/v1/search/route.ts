import { handle, routes } from "#lib/http/route";
import { search, searchEndpoint } from "#lib/search/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(searchEndpoint, (context, { query }) => search(context, query)),
);
