import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach } from "vitest";
import type { Database } from "#lib/platform/database/index";
import { sharedDatabase } from "./shared-database";

type VendorDatabase = { client: Database /** An account of the tier `pro`. */; accountId: string };

/** Gives a test file a database with an account, and deletes all vendors before each test. */
export function vendorDatabase(): VendorDatabase {
  const database = sharedDatabase();
  const fixture = {} as VendorDatabase;
  beforeAll(async () => {
    fixture.client = database.client;
    fixture.accountId = (await database.client.account.create({ data: { id: randomUUID(), tier: "pro" } })).id;
  });
  beforeEach(async () => {
    await fixture.client.vendor.deleteMany();
  });
  return fixture;
}
