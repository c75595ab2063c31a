export { configuredJobs, cronJobs, findJob } from "./all-jobs";
export { analysisWork, analyzeChangesJob } from "./analyze-changes-job";
export { cronEndpoints, getCronStatusEndpoint, runCronJobEndpoint } from "./endpoints";
export { fetchVendorsJob, fetchVendorsWork } from "./fetch-vendors-job";
export { type FleetHealth, getCronStatus, getFleetHealth, getJobStatuses, type JobStatus } from "./get-job-status";
export type { CronContext, CronJob } from "./job";
export {
  deadFetches,
  findPaused,
  isQueueName,
  openQueues,
  type QueueName,
  type QueueStatus,
  queueNames,
  readQueueStatus,
  retryFailed,
  setPaused,
} from "./queue/index";
export { type DayState, type HistoryDay, type HistoryLine, readHistory, type StatusHistory } from "./read-history";
export { readInstallation } from "./read-installation";
export { runCronJob, runDueJobs, runJob } from "./run-job";
export { fetchingOf, scheduledJobs, workerJobs } from "./schedule";
export { work } from "./work";
