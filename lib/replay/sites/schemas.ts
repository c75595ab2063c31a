import * as z from "zod";
import { verticalSchema } from "#lib/replay/cassettes/index";

/** Paths of a site's discovery documents and APIs. */
const surfacePaths = {
  health: "/api/v1/health",
  llms_txt: "/llms.txt",
  agents_json: "/.well-known/agents.json",
  cassettes: "/api/v1/cassettes",
  openapi: "/openapi.json",
  mcp: "/api/mcp",
  replay_random: "/api/v1/replay/random",
} as const;

/** Returns a value for each of these paths. */
function forSurfaces<T>(toValue: (path: string) => T): Record<keyof typeof surfacePaths, T> {
  return Object.fromEntries(Object.entries(surfacePaths).map(([name, path]) => [name, toValue(path)])) as never;
}

/** Returns the URLs of a site's discovery documents and APIs. */
export const surfacesOf = (origin: string) => forSurfaces((path) => origin + path);

const surfacesSchema = z
  .object(forSurfaces(() => z.url()))
  .describe("URLs of the site's discovery documents and APIs.");

const fleetMemberSchema = z
  .object({
    slug: z.string(),
    vertical: verticalSchema,
    url: z.url(),
    display_name: z.string(),
    tagline: z.string(),
    cassette_count: z.int().min(0).describe("Number of cassettes of the site's vertical."),
    surfaces: surfacesSchema,
  })
  .meta({ id: "FleetMember", description: "A live site of the fleet." });
export type FleetMember = z.infer<typeof fleetMemberSchema>;

export const fleetSchema = z
  .object({
    chassis: z.url().describe("URL of the first site in the list."),
    count: z.int().min(1),
    current_site: z.object({ slug: z.string(), vertical: verticalSchema, url: z.url() }),
    members: z.array(fleetMemberSchema).min(1),
    last_verified: z.iso
      .date()
      .describe("Date of the last check of the members, or of the build before the first check."),
  })
  .meta({ id: "Fleet", description: "The live sites of the fleet." });
export type Fleet = z.infer<typeof fleetSchema>;
