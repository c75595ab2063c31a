export type { DirectQuery, Statement } from "./bounded-adapter";
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
