import { listModels, listModelsEndpoint } from "#lib/replay/playback/index";
import { handle, routes } from "#lib/server/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(listModelsEndpoint, (context, { header }) => listModels(context, header)),
);
