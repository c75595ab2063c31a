import { config } from "#lib/platform/config";
import { createDatabase } from "#lib/platform/database/index";
import { seedRows } from "../seed";

/** Sees to the rows that the app expects; a database of one's own gets the sample world too. */
export async function seedDatabase(url: string): Promise<void> {
  const client = createDatabase(url);
  try {
    await seedRows(client, { samples: config().DATABASE_URL === undefined });
  } finally {
    await client.$disconnect();
  }
}
