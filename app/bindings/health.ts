import { getHealth, getHealthEndpoint, isReady } from "#lib/server/health/index";
import { bind } from "#lib/server/http/bindings";
import { jsonReply } from "#lib/server/http/reply";

export const bindings = [
  bind(getHealthEndpoint, async (context, { query }) => {
    const health = await getHealth(context);
    return query.ready === undefined || isReady(health) ? health : jsonReply(health, 503);
  }),
];
