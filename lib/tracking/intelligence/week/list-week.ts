import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { findChangesSince } from "./store";

/** A change of the last seven days, as anyone may see it. */
export type WeekChange = {
  /** The change itself. */
  diffId: string;
  vendor: { name: string; slug: string; domain: string };
  summary: string;
  significance: number;
  categories: string[];
  createdAt: Date;
};

const weekMs = 7 * 86_400_000;
const maxCount = 6;

/** What the public vendors changed in the last seven days, the newest first. */
export async function listWeek({ clock, database }: { clock: Clock; database: Database }): Promise<WeekChange[]> {
  const found = await findChangesSince(database, new Date(clock.now().getTime() - weekMs), maxCount);
  return found.flatMap(({ diffId, ...change }) => (diffId === null ? [] : [{ diffId, ...change }]));
}
