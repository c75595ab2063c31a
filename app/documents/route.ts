import { groups } from "#app/bindings";
import { routes } from "#lib/server/http/route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(groups);
