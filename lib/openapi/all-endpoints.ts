import { cassetteEndpoints } from "#lib/cassettes/index";
import { healthEndpoints } from "#lib/health/index";
import type { Endpoint } from "#lib/http/endpoint";
import { replayEndpoints } from "#lib/replay/index";
import { fleetEndpoints } from "#lib/sites/index";
import { openApiEndpoints } from "./endpoints";

/** Every declared endpoint, in the document's order. */
export const endpoints = [
  ...replayEndpoints,
  ...cassetteEndpoints,
  ...fleetEndpoints,
  ...healthEndpoints,
  ...openApiEndpoints,
] as readonly Endpoint[];
