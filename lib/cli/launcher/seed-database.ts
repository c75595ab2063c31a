import { createDatabase } from "#lib/platform/database/index";
import { sites } from "#lib/sites/sites";
import { seedFleetMembers } from "../seed";

/** Sees to the rows that the app expects. */
export async function seedDatabase(url: string): Promise<void> {
  const client = createDatabase(url);
  try {
    await seedFleetMembers(
      client,
      sites.map(({ slug }) => slug),
    );
  } finally {
    await client.$disconnect();
  }
}
