import { getRegistryServerEndpoint, registryServer } from "#lib/content/index";
import { handle, routes } from "#lib/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getRegistryServerEndpoint, registryServer),
);
