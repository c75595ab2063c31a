import { afterAll, beforeAll } from "vitest";
import { createTestDatabase, type TestDatabase } from "./database";

/** Gives a test file a database, which exists from its first hook to its last. */
export function sharedDatabase(): TestDatabase {
  const shared = {} as TestDatabase;
  beforeAll(async () => void Object.assign(shared, await createTestDatabase()));
  afterAll(() => shared.drop());
  return shared;
}
