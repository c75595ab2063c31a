import { runCronJob, runCronJobEndpoint } from "#lib/jobs/index";
import { handle, routes } from "#lib/server/http/route";

export const dynamic = "force-dynamic";
export const maxDuration = 300;
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(runCronJobEndpoint, runCronJob));
