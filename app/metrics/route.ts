import { readInstallation } from "#lib/jobs/index";
import { textReply } from "#lib/server/http/reply";
import { handle, routes } from "#lib/server/http/route";
import { getMetrics, getMetricsEndpoint, openMetricsType } from "#lib/server/metrics/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getMetricsEndpoint, async (context, input) =>
    textReply(await getMetrics(context, input, readInstallation), openMetricsType),
  ),
);
