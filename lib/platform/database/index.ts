export {
  createDatabase,
  createJobDatabase,
  type Database,
  database,
  pingDatabase,
  requireAnswer,
  requireDatabase,
  requireJobDatabase,
  type Transaction,
} from "./client";
