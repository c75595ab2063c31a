import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { createTestDatabase, type TestDatabase } from "./database";

/** Gives a test file or suite a database, which exists from its first hook to its last. */
export function sharedDatabase(options: { isEmpty?: boolean } = {}): TestDatabase {
  const shared = {} as TestDatabase;
  beforeAll(async () => void Object.assign(shared, await createTestDatabase(options)));
  afterAll(() => shared.drop());
  return shared;
}

/** Gives each test of a file a database of its own, which exists from its first hook to its last. */
export function databaseOfTest(): TestDatabase {
  const own = {} as TestDatabase;
  beforeEach(async () => void Object.assign(own, await createTestDatabase()));
  afterEach(() => own.drop());
  return own;
}
