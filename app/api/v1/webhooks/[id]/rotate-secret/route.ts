import { handle, routes } from "#lib/http/route";
import { rotateSecret, rotateSecretEndpoint } from "#lib/webhooks/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(rotateSecretEndpoint, rotateSecret));
