import { billingEndpoints } from "#lib/billing/index";
import { cassetteEndpoints } from "#lib/cassettes/index";
import { contentEndpoints } from "#lib/content/index";
import { cronEndpoints } from "#lib/cron/index";
import { diffEndpoints } from "#lib/diffs/index";
import { feedEndpoints } from "#lib/feed/index";
import { healthEndpoints } from "#lib/health/index";
import type { Endpoint } from "#lib/http/endpoint";
import { intelligenceEndpoints } from "#lib/intelligence/index";
import { keyEndpoints } from "#lib/keys/index";
import { mcpEndpoints } from "#lib/mcp/index";
import { purchaseEndpoints } from "#lib/purchases/index";
import { replayEndpoints } from "#lib/replay/index";
import { searchEndpoints } from "#lib/search/index";
import { fleetEndpoints } from "#lib/sites/index";
import { snapshotEndpoints } from "#lib/snapshots/index";
import { vendorEndpoints } from "#lib/vendors/index";
import { webhookEndpoints } from "#lib/webhooks/index";
import { openApiEndpoints } from "./endpoints";

/** Every declared endpoint, in the document's order. */
export const endpoints = [
  ...replayEndpoints,
  ...cassetteEndpoints,
  ...fleetEndpoints,
  ...searchEndpoints,
  ...feedEndpoints,
  ...vendorEndpoints,
  ...snapshotEndpoints,
  ...diffEndpoints,
  ...intelligenceEndpoints,
  ...webhookEndpoints,
  ...billingEndpoints,
  ...purchaseEndpoints,
  ...keyEndpoints,
  ...mcpEndpoints,
  ...healthEndpoints,
  ...cronEndpoints,
  ...contentEndpoints,
  ...openApiEndpoints,
] as readonly Endpoint[];
