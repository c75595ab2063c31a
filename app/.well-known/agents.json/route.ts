import { agentsJson, getAgentsJsonEndpoint } from "#lib/discovery/content/index";
import { handle, routes } from "#lib/server/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(getAgentsJsonEndpoint, agentsJson));
