import { runCronJob, runCronJobEndpoint } from "#lib/cron/index";
import { handle, routes } from "#lib/http/route";

export const dynamic = "force-dynamic";
export const maxDuration = 300;
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(runCronJobEndpoint, runCronJob));
