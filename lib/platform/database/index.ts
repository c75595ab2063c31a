export type { DirectQuery, Statement } from "./bounded-adapter";
export {
  createDatabase,
  createJobDatabase,
  type Database,
  database,
  pingDatabase,
  poolStatuses,
  queryDirectly,
  requireDatabase,
  requireJobDatabase,
  type Transaction,
  transactDirectly,
} from "./client";
export { isQueuePaused } from "./paused-queues";
