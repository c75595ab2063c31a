export type { DirectQuery, Statement } from "./bounded-adapter";
export {
  createDatabase,
  createJobDatabase,
  type Database,
  database,
  type PoolStatus,
  pingDatabase,
  poolStatuses,
  queryDirectly,
  requireAnswer,
  requireDatabase,
  requireJobDatabase,
  type Transaction,
  transactDirectly,
} from "./client";
