import * as jobs from "#lib/jobs/index";
import { bindWith } from "#lib/server/http/bindings";
import { textReply } from "#lib/server/http/reply";
import { getMetrics, getMetricsEndpoint, openMetricsType } from "#lib/server/metrics/index";
import { withProducts } from "#lib/server/products";

const bind = bindWith(withProducts);

export const bindings = [
  bind(jobs.runCronJobEndpoint, jobs.runCronJob),
  bind(jobs.getCronStatusEndpoint, jobs.getCronStatus),
  bind(getMetricsEndpoint, async (context, input) =>
    textReply(await getMetrics(context, input, jobs.readInstallation), openMetricsType),
  ),
];
