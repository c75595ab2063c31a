export { createDatabase, type Database, database } from "./client";
export { pingDatabase } from "./ping-database";
