import * as z from "zod";
import { defineEndpoint } from "#lib/contract/endpoint";

const example = `# HELP tapedeck_database_up Whether the database answered with the status of the installation.
# TYPE tapedeck_database_up gauge
tapedeck_database_up 1
# EOF
`;

export const getMetricsEndpoint = defineEndpoint({
  id: "getMetrics",
  method: "GET",
  path: "/metrics",
  tag: "Operations",
  summary: "Get the metrics",
  description:
    "For Prometheus and others that read OpenMetrics: the metrics of the process that answers, and of the whole installation. Send the header `Authorization: Bearer <METRICS_TOKEN>`. Does not exist unless the operator has set that token.",
  auth: "none",
  responses: {
    200: {
      description: "The metrics, in the OpenMetrics text format.",
      body: { type: "application/openmetrics-text", schema: z.string(), example },
    },
  },
  errors: {
    unauthorized: "The token is missing or wrong.",
    not_found: "The operator has set no token, so there are no metrics.",
  },
  cacheControl: "no-store",
});

export const metricsEndpoints = [getMetricsEndpoint];
