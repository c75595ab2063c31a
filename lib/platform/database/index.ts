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
} from "./client";
