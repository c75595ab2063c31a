import * as z from "zod";
import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { cronRunSchema, cronStatusQuerySchema, cronStatusSchema, historyDays } from "./schemas";

export const getCronStatusEndpoint = defineEndpoint({
  id: "getCronStatus",
  method: "GET",
  path: "/api/v1/cron/status",
  tag: "Operations",
  summary: "Get the latest run of each job",
  description: `Returns the latest run of each job that has run: its summary, or why it failed. With \`include=history\`, also how many runs completed and failed on each of the last ${historyDays} days; a day without runs is left out.`,
  auth: "required",
  limited: true,
  query: cronStatusQuerySchema,
  responses: {
    200: jsonResponse("The latest runs.", cronStatusSchema, {
      jobs: [
        {
          name: "fetch-vendors",
          last_run_at: "2026-11-21T09:07:00.000Z",
          finished_at: "2026-11-21T09:07:41.310Z",
          status: "completed",
          summary: { fetched: 106, changed: 3, unchanged: 101, failed: 2, left: 0 },
          error: null,
        },
      ],
    }),
  },
  errors: { bad_request: "`include` is not `history`." },
});

export const runCronJobEndpoint = defineEndpoint({
  id: "runCronJob",
  method: "GET",
  path: "/api/cron/{job}",
  tag: "Operations",
  summary: "Run a job",
  description:
    "For schedulers such as Vercel's: runs a job now and answers when it has finished. Send the header `Authorization: Bearer <CRON_SECRET>`.",
  auth: "none",
  maxDurationSeconds: 300,
  params: z.object({ job: z.string().describe("The job's name, such as `fetch-vendors`.") }),
  responses: {
    200: jsonResponse("The run has finished.", cronRunSchema, {
      job: "prune",
      run_id: "01997a3c-5f0e-7b52-8d10-6f1f5b3c9a41",
      summary: { snapshots: 0, contents: 0, fetches: 120, runs: 24, limit_windows: 310 },
    }),
  },
  errors: {
    unauthorized: "The cron secret is missing or wrong.",
    not_found: "The job does not exist.",
    conflict: "The job runs once at a time and is already running; nothing was started.",
    service_unavailable: "No database is configured, or it does not answer.",
    internal_error: "The run failed; its record says why.",
  },
  cacheControl: "no-store",
});

export const cronEndpoints = [getCronStatusEndpoint, runCronJobEndpoint];
