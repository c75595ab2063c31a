import { handle, routes } from "#lib/http/route";
import { rotateKey, rotateKeyEndpoint } from "#lib/keys/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(rotateKeyEndpoint, rotateKey));
