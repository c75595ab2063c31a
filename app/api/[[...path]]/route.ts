import { groups } from "#app/bindings";
import { routes } from "#lib/server/http/route";

/** Seconds, as the declarations of streams say. A test compares them. */
export const maxDuration = 300;
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(groups);
