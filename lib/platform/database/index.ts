export { createDatabase, type Database, database, type Transaction } from "./client";
export { pingDatabase } from "./ping-database";
