import { config } from "#lib/platform/config";
import { createDatabase } from "#lib/platform/database/index";
import { seedRows } from "../seed";

/** Adds the rows that the app expects; to the embedded database also the samples. */
export async function seedDatabase(url: string): Promise<void> {
  const client = createDatabase(url);
  try {
    await seedRows(client, { samples: config().DATABASE_URL === undefined });
  } finally {
    await client.$disconnect();
  }
}
