import { type Database, database } from "#lib/platform/database/index";
import { log } from "#lib/platform/log";

/** Result of the last fleet check: when it ran, and which members were down. */
export type FleetCheck = { checkedAt: Date | null; downSlugs: ReadonlySet<string> };

/** Returns the last fleet check. Without a database, or before the first check, all members count as live. */
export async function readFleetCheck(): Promise<FleetCheck> {
  const unchecked: FleetCheck = { checkedAt: null, downSlugs: new Set() };
  const client = database();
  if (!client) return unchecked;
  try {
    const rows = await client.fleetMember.findMany({ select: { slug: true, status: true, checkedAt: true } });
    const times = rows.flatMap(({ checkedAt }) => (checkedAt ? [checkedAt.getTime()] : []));
    return {
      checkedAt: times.length ? new Date(Math.max(...times)) : null,
      downSlugs: new Set(rows.filter(({ status }) => status === "down").map(({ slug }) => slug)),
    };
  } catch (error) {
    log().warn({ reason: (error as Error).message }, "could not read the last fleet check; all members count as live");
    return unchecked;
  }
}

/** Result of checking one member. */
export type MemberCheck = { slug: string; address: string; status: "live" | "down"; error: string | null };

/** Stores the results of a check in one transaction. */
export async function writeFleetCheck(
  client: Database,
  checks: readonly MemberCheck[],
  checkedAt: Date,
): Promise<void> {
  const writes = checks.map(({ slug, status, error }) => {
    const values = { status, error, checkedAt };
    return client.fleetMember.upsert({ where: { slug }, create: { slug, ...values }, update: values });
  });
  await client.$transaction(writes);
}

/** Adds a row for each site that has none. Existing rows keep the result of their last check. */
export async function insertFleetMembers(client: Database, slugs: readonly string[]): Promise<void> {
  // One statement is one transaction, and with skipDuplicates two concurrent starts both succeed.
  await client.fleetMember.createMany({ data: slugs.map((slug) => ({ slug })), skipDuplicates: true });
}
