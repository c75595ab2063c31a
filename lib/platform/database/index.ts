export type { DirectQuery } from "./bounded-adapter";
export {
  createDatabase,
  createJobDatabase,
  type Database,
  database,
  pingDatabase,
  queryDirectly,
  requireAnswer,
  requireDatabase,
  requireJobDatabase,
  type Transaction,
  transactDirectly,
} from "./client";
