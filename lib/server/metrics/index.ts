export { getMetricsEndpoint, metricsEndpoints } from "./endpoints";
export { getMetrics, openMetricsType } from "./get-metrics";
export type { InstallationStatus } from "./installation-metrics";
export { startProcessMetrics } from "./process-metrics";
