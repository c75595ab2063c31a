import { keyMailEndpoints } from "#lib/accounts/key-mail/index";
import { keyEndpoints } from "#lib/accounts/keys/index";
import { planEndpoints } from "#lib/accounts/plans/index";
import { purchaseEndpoints } from "#lib/accounts/purchases/index";
import type { Endpoint } from "#lib/contract/endpoint";
import { contentEndpoints } from "#lib/discovery/content/index";
import { documentEndpoints } from "#lib/discovery/documents/index";
import { searchEndpoints } from "#lib/discovery/search/index";
import { cronEndpoints } from "#lib/jobs/index";
import { modelEndpoints } from "#lib/models/index";
import { cassetteEndpoints } from "#lib/replay/cassettes/index";
import { dropInEndpoints, replayEndpoints } from "#lib/replay/playback/index";
import { fleetEndpoints } from "#lib/replay/sites/index";
import { healthEndpoints } from "#lib/server/health/index";
import { mcpEndpoints } from "#lib/server/mcp/index";
import { metricsEndpoints } from "#lib/server/metrics/index";
import {
  getOpenApiText,
  getReference,
  listReferenceGroups,
  openApiEndpoints,
  type ReferenceOptions,
} from "#lib/server/openapi/index";
import { diffEndpoints } from "#lib/tracking/diffs/index";
import { digestEndpoints } from "#lib/tracking/digests/index";
import { feedEndpoints } from "#lib/tracking/feed/index";
import { historyEndpoints } from "#lib/tracking/history/index";
import { intelligenceEndpoints } from "#lib/tracking/intelligence/index";
import { snapshotEndpoints } from "#lib/tracking/snapshots/index";
import { vendorEndpoints } from "#lib/tracking/vendors/index";
import { webhookEndpoints } from "#lib/tracking/webhooks/index";

/** Every endpoint of the service, in the order of the OpenAPI document. */
export const endpoints = [
  ...replayEndpoints,
  ...dropInEndpoints,
  ...cassetteEndpoints,
  ...fleetEndpoints,
  ...searchEndpoints,
  ...feedEndpoints,
  ...vendorEndpoints,
  ...snapshotEndpoints,
  ...diffEndpoints,
  ...historyEndpoints,
  ...intelligenceEndpoints,
  ...modelEndpoints,
  ...webhookEndpoints,
  ...digestEndpoints,
  ...planEndpoints,
  ...purchaseEndpoints,
  ...keyEndpoints,
  ...keyMailEndpoints,
  ...mcpEndpoints,
  ...healthEndpoints,
  ...cronEndpoints,
  ...metricsEndpoints,
  ...contentEndpoints,
  ...documentEndpoints,
  ...openApiEndpoints,
] as readonly Endpoint[];

export const getOpenApiDocument = (context: { origin: string }) => getOpenApiText(endpoints, context);
export const getApiReference = (options: ReferenceOptions) => getReference(endpoints, options);
export const listApiGroups = () => listReferenceGroups(endpoints);
