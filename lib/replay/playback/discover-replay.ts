import { createHash } from "node:crypto";
import type * as z from "zod";
import { AppError } from "#lib/platform/errors";
import {
  type Catalogue,
  cassettesOfSite,
  replayUrl,
  selectCassettes,
  type Vertical,
} from "#lib/replay/cassettes/index";
import { eventStreamType } from "#lib/replay/providers/index";
import type { ReplayDiscovery, randomReplayQuerySchema } from "./schemas";

type SiteContext = { catalogue: Catalogue; origin: string; site: { vertical: Vertical } };

/** Returns the replay discovery document; its example is the site's first cassette. */
export async function discoverReplay(context: SiteContext): Promise<ReplayDiscovery> {
  const { origin } = context;
  const [first] = await cassettesOfSite(context);
  const random_url = `${origin}/api/v1/replay/random`;
  return {
    endpoint_pattern: `${origin}/api/v1/replay/{vertical}/{cookbook}`,
    example: first ? replayUrl(origin, first.id) : random_url,
    cassettes_listing: `${origin}/api/v1/cassettes`,
    random_url,
    openapi: `${origin}/openapi.json`,
    methods: ["GET", "HEAD"],
    auth: "none",
    tokens_per_replay: 0,
    response_content_type: eventStreamType,
  };
}

/** Returns a number from 0 (inclusive) to 1 (exclusive): the same for the same seed, a random one without. */
function fractionOf(seed: string | undefined): number {
  return seed === undefined ? Math.random() : createHash("sha256").update(seed).digest().readUInt32BE() / 2 ** 32;
}

/**
 * Returns the URL of a random replay that the filters select, by default of the site, with the other parameters. Throws
 * AppError `not_found` if there is none.
 */
export async function pickRandomReplay(
  context: SiteContext,
  { vertical, protocol, speed, seed, ...query }: z.infer<typeof randomReplayQuerySchema> = {},
): Promise<string> {
  const cassettes = await selectCassettes(context, { vertical, protocol });
  const picked = cassettes[Math.floor(fractionOf(seed) * cassettes.length)];
  if (!picked) {
    const isFiltered = vertical !== undefined || protocol !== undefined;
    const message = isFiltered
      ? "No cassette matches. Add vertical=all to choose from all; GET /api/v1/cassettes?vertical=all lists them."
      : "This site has no cassettes yet. GET /api/v1/fleet lists its sibling sites.";
    throw new AppError("not_found", message);
  }
  const given = { ...query, speed: speed === Number.POSITIVE_INFINITY ? "max" : speed };
  const pairs = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const search = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : "";
  return `${replayUrl(context.origin, picked.id)}${search}`;
}
