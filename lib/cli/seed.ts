import type { Database } from "#lib/platform/database/index";

/** Makes sure that every site of the family has its row; rows that are there keep what the last check found. */
export async function seedFleetMembers(client: Database, slugs: readonly string[]): Promise<void> {
  // One statement, so one transaction; and of two starts at once neither fails.
  await client.fleetMember.createMany({ data: slugs.map((slug) => ({ slug })), skipDuplicates: true });
}
