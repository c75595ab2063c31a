export { cronEndpoints, getCronStatusEndpoint, runCronJobEndpoint } from "./endpoints";
export { getCronStatus } from "./get-cron-status";
export type { CronContext, CronJob, RunContext, RunSummary } from "./job";
export { cronJobs, findJob } from "./jobs/all-jobs";
export { analysisWork, analyzeChangesJob } from "./jobs/analyze-changes-job";
export { fetchVendorsJob, fetchVendorsWork } from "./jobs/fetch-vendors-job";
export { runCronJob } from "./run-cron-job";
export { runDueJobs } from "./run-due-jobs";
export { type JobRun, type RunOptions, runJob } from "./run-job";
