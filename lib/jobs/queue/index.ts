export { dispatch, openQueues, type Queues } from "./client";
export { deadFetches, isQueueName, type QueueName, queueNames } from "./queues";
export {
  findPaused,
  hasReadyJob,
  hasWaitingWork,
  type QueueStatus,
  readQueueStatus,
  retryFailed,
  setPaused,
} from "./store";
export { type TakenJob, TakenJobs } from "./taken-jobs";
