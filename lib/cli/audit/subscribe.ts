import * as z from "zod";
import { CommandFailure, misused, noAnswer } from "../failure";
import { fetchServer, type Server } from "./fetch-server";

/** Most models, and most operations, in a filter. */
const maxCount = 200;

const subscriptionsSchema = z.array(
  z.object({ id: z.string(), filters: z.record(z.string(), z.unknown()).optional() }),
);
const kinds = ["webhooks", "digests"] as const;

type Subscription = Server & { id: string; models: readonly string[]; operations: readonly string[] };

/**
 * Makes a webhook or digest of a key receive the changes of these models and operations only; its other filters stay.
 * Returns what it is. Throws CommandFailure.
 */
export async function subscribe({ server, key, id, ...used }: Subscription): Promise<"webhook" | "digest"> {
  if (!key) throw new CommandFailure("--subscribe needs an API key of the server: TAPEDECK_KEY.", misused);
  const given = Object.entries(used).filter(([, names]) => names.length > 0);
  if (given.length === 0)
    throw new CommandFailure(
      "No tape calls an operation, and no tape or code names a model, to subscribe to.",
      misused,
    );
  for (const [what, { length }] of given)
    if (length > maxCount)
      throw new CommandFailure(
        `${length} ${what} are more than the ${maxCount} of a filter. Audit fewer tapes.`,
        misused,
      );
  const send = async (path: string, init: RequestInit = {}) => {
    const response = await fetchServer({ server, key }, path, init);
    const body = Object(await response.json().catch(() => undefined)) as Record<string, unknown>;
    // What a tier does not have or a server has not configured, such as mail, lists nothing. An outage has Retry-After.
    const isUnused = response.status === 503 && !response.headers.has("retry-after") && "error" in body;
    return { status: response.status, url: response.url, isEmpty: response.status === 403 || isUnused, body };
  };
  const known: string[] = [];
  for (const kind of kinds) {
    const { status, url, isEmpty, body } = await send(`/api/v1/${kind}`);
    const list = isEmpty ? [] : subscriptionsSchema.safeParse(body[kind]).data;
    if (!list || (status !== 200 && !isEmpty))
      throw new CommandFailure(`${url} answered ${status} without a list.`, noAnswer);
    const found = list.find((each) => each.id === id);
    known.push(...list.map((each) => each.id));
    if (!found) continue;
    const { models: _models, operations: _operations, ...others } = found.filters ?? {};
    const filters = { ...others, ...Object.fromEntries(given) };
    const changed = await send(`/api/v1/${kind}/${id}`, { method: "PATCH", body: JSON.stringify({ filters }) });
    if (changed.status === 200) return kind === "webhooks" ? "webhook" : "digest";
    throw new CommandFailure(`${server} refused the filter: ${String(changed.body.error ?? changed.status)}`, noAnswer);
  }
  const advice = known.length > 0 ? `It has ${known.join(", ")}.` : "Register one on the page /key.";
  throw new CommandFailure(`The key has no webhook or digest ${id}. ${advice}`, misused);
}
