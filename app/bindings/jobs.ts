import {
  getCronStatus,
  getCronStatusEndpoint,
  readInstallation,
  runCronJob,
  runCronJobEndpoint,
} from "#lib/jobs/index";
import { bindWith } from "#lib/server/http/bindings";
import { textReply } from "#lib/server/http/reply";
import { getMetrics, getMetricsEndpoint, openMetricsType } from "#lib/server/metrics/index";
import { withProducts } from "#lib/server/products";

const bind = bindWith(withProducts);

export const bindings = [
  bind(runCronJobEndpoint, runCronJob),
  bind(getCronStatusEndpoint, getCronStatus),
  bind(getMetricsEndpoint, async (context, input) =>
    textReply(await getMetrics(context, input, readInstallation), openMetricsType),
  ),
];
