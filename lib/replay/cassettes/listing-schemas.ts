import { z } from "zod";
import { verticalSchema } from "./schemas";

export const cassetteEntrySchema = z
  .object({
    slug: z.string(),
    vertical: verticalSchema,
    title: z.string(),
    subtitle: z.string(),
    model: z.string().meta({ description: "Model of the response; `tapedeck-authored` where no model wrote it." }),
    cassette_path: z.string().meta({ description: "The file's place in the store." }),
    replay_url: z.url(),
    tokens_per_replay: z.literal(0),
  })
  .meta({ id: "CassetteEntry", description: "A replayable cassette." });
export type CassetteEntry = z.infer<typeof cassetteEntrySchema>;

export const cassetteListingSchema = z
  .object({
    site: z.string(),
    vertical: verticalSchema,
    host: z.string(),
    count: z.int().min(0),
    cassettes: z.array(cassetteEntrySchema),
  })
  .meta({ id: "CassetteListing", description: "The cassettes of one site." });
export type CassetteListing = z.infer<typeof cassetteListingSchema>;
