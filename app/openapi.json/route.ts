import { handle, routes } from "#lib/server/http/route";
import { getOpenApiEndpoint } from "#lib/server/openapi/index";
import { getOpenApiDocument } from "../endpoints";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(getOpenApiEndpoint, getOpenApiDocument));
