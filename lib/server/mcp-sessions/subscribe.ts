import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import type { Topic } from "#lib/server/notifications/index";
import type { Session } from "./session";
import { deleteSubscription, insertSubscription } from "./store";

/** Most topics of one session. */
export const maxSubscriptionCount = 200;

/** Lets a session hear of a topic. Throws AppError conflict where it has too many. */
export async function subscribe({ database }: { database: Database }, session: Session, topic: Topic): Promise<void> {
  const hasRoom = await insertSubscription(database, { sessionId: session.id, topic, maxCount: maxSubscriptionCount });
  if (hasRoom) return;
  throw new AppError("conflict", `A session has at most ${maxSubscriptionCount} subscriptions. Unsubscribe from some.`);
}

export async function unsubscribe({ database }: { database: Database }, session: Session, topic: Topic): Promise<void> {
  await deleteSubscription(database, session.id, topic);
}
