import * as z from "zod";

/** The four verticals; a cassette belongs to exactly one. */
export const verticals = ["legal", "finance", "small-business", "developer-tools"] as const;
export const verticalSchema = z.enum(verticals).describe("Vertical that the cassette belongs to.");
export type Vertical = z.infer<typeof verticalSchema>;
const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
export const slugSchema = z.string().max(100).regex(slugPattern, "must be lower-case words joined by single hyphens");

/** What a listing can be of: a vertical, another folder of the store, or `all`. */
export const listedVerticalSchema = slugSchema.meta({ examples: ["all"] });

const maxIdLength = 130;
const idMessage = "must be <folder>/<slug>: both lower-case words joined by single hyphens";

/** Whether a text is the id of a cassette: faster than the schema, for large folders. */
export function isCassetteId(text: string): boolean {
  const [folder = "", slug = "", ...rest] = text.split("/");
  return text.length <= maxIdLength && rest.length === 0 && slugPattern.test(folder) && slugPattern.test(slug);
}

/** Ids of cassettes. The folders of the bundled cassettes are the verticals; other folders are free. */
export const cassetteIdSchema = z
  .string()
  .max(maxIdLength, idMessage)
  .refine(isCassetteId, { message: idMessage })
  .describe("`<folder>/<slug>`: the file's path in the store without `.json`.");

const cassetteEntrySchema = z
  .object({
    slug: z.string(),
    vertical: z.string().describe("Vertical, or another folder of the store."),
    title: z.string(),
    subtitle: z.string(),
    model: z.string().describe("Model named in the response; `tapedeck-authored` for authored cassettes."),
    cassette_path: z.string().describe("Path of the file in the store."),
    replay_url: z.url(),
    tokens_per_replay: z.literal(0),
    protocol: z.string().describe("Protocol of the request and its answer, such as `anthropic`."),
    end: z.enum(["complete", "truncated", "error"]).describe("How the response ends."),
    turn: z.int().min(1).describe("Place in its conversation: 1 for the first turn."),
    turns: z.int().min(1).describe("Recorded turns of the conversation; the name of any plays them all."),
    tools: z.array(z.string()).describe("Names of the tools that the answer calls."),
    request: z
      .object({ method: z.literal("POST"), path: z.string(), model: z.string().nullable() })
      .describe("What a request has to look like: name the cassette as its model or in `x-replay-cassette`."),
    provenance: z.enum(["recorded", "imported", "authored"]),
    duration_ms: z.int().min(0).describe("Duration of the answer at its recorded speed."),
    chunk_count: z.int().min(0),
    byte_size: z.int().min(0).describe("Bytes of the answer's body."),
  })
  .meta({ id: "CassetteEntry", description: "A cassette that can be replayed." });
export type CassetteEntry = z.infer<typeof cassetteEntrySchema>;

export const cassetteListingSchema = z
  .object({
    site: z.string(),
    vertical: z.string().describe("Vertical or other folder that was listed, or `all`."),
    host: z.string(),
    count: z.int().min(0),
    cassettes: z.array(cassetteEntrySchema),
  })
  .meta({ id: "CassetteListing", description: "The cassettes of one site." });
export type CassetteListing = z.infer<typeof cassetteListingSchema>;
