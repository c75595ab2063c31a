import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Database } from "#lib/platform/database/index";
import { createTestDatabase } from "./database";

type VendorDatabase = { client: Database /** An account of the tier `pro`. */; accountId: string };

/** Gives a test file a database with an account, and deletes all vendors before each test. */
export function vendorDatabase(): VendorDatabase {
  const fixture = {} as VendorDatabase;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    fixture.client = database.client;
    fixture.accountId = (await database.client.account.create({ data: { id: randomUUID(), tier: "pro" } })).id;
  });
  afterAll(() => drop());
  beforeEach(async () => {
    await fixture.client.vendor.deleteMany();
  });
  return fixture;
}
