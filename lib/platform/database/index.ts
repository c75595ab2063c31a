export { createDatabase, type Database, database, pingDatabase, requireDatabase, type Transaction } from "./client";
