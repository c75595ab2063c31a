import { config } from "#lib/platform/config";
import { trackPageResponses } from "./page-response";

/** Checks the configuration of a function on Vercel when it starts. Throws ConfigError. */
export function startFunction(): void {
  config();
  trackPageResponses();
}
