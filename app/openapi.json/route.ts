import { handle, routes } from "#lib/server/http/route";
import { getOpenApi, getOpenApiEndpoint } from "#lib/server/openapi/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(getOpenApiEndpoint, getOpenApi));
