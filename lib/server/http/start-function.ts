import { config } from "#lib/platform/config";
import { log } from "#lib/platform/log";
import { isDisconnect, logFailure } from "#lib/platform/log-failure";
import { trackPageResponses } from "./page-response";
import { pathOf } from "./request";

/** Checks the configuration of a function on Vercel when it starts. Throws ConfigError. */
export function startFunction(): void {
  config();
  trackPageResponses();
}

/** Logs an error that Next.js caught, by its request. */
export function logRequestError(error: unknown, { method, path }: { path: string; method: string }): void {
  const fields = { method, path: pathOf(path) };
  if (isDisconnect(error)) log().debug({ ...fields, reason: (error as Error).message }, "response was cut off");
  else logFailure(log(), error, fields, "request failed outside of its endpoint");
}
