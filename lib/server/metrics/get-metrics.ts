import { Registry } from "prom-client";
import { isBearerSecret } from "#lib/platform/bearer-secret";
import type { Clock } from "#lib/platform/clock";
import { config } from "#lib/platform/config";
import { AppError } from "#lib/platform/errors";
import { type ReadInstallation, readInstallationMetrics } from "./installation-metrics";
import { createRegistry, serverRegistry } from "./process-metrics";

/** Media type of the metrics. */
export const openMetricsType: string = Registry.OPENMETRICS_CONTENT_TYPE;

/**
 * Returns the metrics of this server's processes and of the installation, as OpenMetrics text. Throws AppError
 * not_found if no token is configured, and unauthorized without it.
 */
export async function getMetrics(
  { clock }: { clock: Clock },
  { header }: { header: (name: string) => string | null },
  read: ReadInstallation,
): Promise<string> {
  const { METRICS_TOKEN: token } = config();
  if (token === undefined) throw new AppError("not_found", "Not found. GET /openapi.json lists all endpoints.");
  if (!isBearerSecret(header("authorization"), token)) {
    throw new AppError("unauthorized", "Send the token of the metrics: Authorization: Bearer <METRICS_TOKEN>.");
  }
  const [server, installation] = await Promise.all([serverRegistry(), readInstallationMetrics(read, clock)]);
  const registries = [server, installation].filter((registry) => registry !== undefined);
  return Registry.merge([createRegistry(), ...registries]).metrics();
}
