import { z } from "zod";

/** The four verticals of the contract; a cassette belongs to exactly one. */
export const verticals = ["legal", "finance", "small-business", "developer-tools"] as const;
export const verticalSchema = z.enum(verticals).meta({ description: "Vertical that the cassette belongs to." });
export type Vertical = z.infer<typeof verticalSchema>;

/** Largest cassette file that is read, in bytes; anything beyond is refused before it is parsed. */
export const maxCassetteByteSize = 64 * 1024 * 1024;
/** Most chunks in a cassette. */
export const maxChunkCount = 100_000;
/** Longest pause before a chunk: ten minutes, in milliseconds. */
export const maxDeltaMs = 600_000;
/** Longest recording: one hour, in milliseconds. */
export const maxDurationMs = 3_600_000;

const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hexadecimal digits");

export const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
export const slugSchema = z.string().max(100).regex(slugPattern, "must be lower-case words joined by single hyphens");

export const cassetteIdSchema = z
  .string()
  .max(130)
  .refine(
    (id) => {
      const [vertical, slug, ...rest] = id.split("/");
      return rest.length === 0 && verticalSchema.safeParse(vertical).success && slugPattern.test(slug ?? "");
    },
    { message: `must be <vertical>/<slug> with a vertical of ${verticals.join(", ")}` },
  )
  .meta({ description: "`<vertical>/<slug>`, the same as the file's place in the store without `.json`." });

const deltaMsSchema = z.number().min(0).max(maxDeltaMs).meta({
  description: "Milliseconds since the chunk before it (the first: since the request was sent), three decimals.",
});

/** One read from the wire: `s` where its bytes alone are valid UTF-8, else `b` in base64. */
export const chunkSchema = z
  .union([
    z.strictObject({ delta_ms: deltaMsSchema, s: z.string().min(1) }),
    z.strictObject({ delta_ms: deltaMsSchema, b: z.base64().min(1) }),
  ])
  .meta({ id: "Chunk", description: "Bytes that arrived in one read, and when." });
export type Chunk = z.infer<typeof chunkSchema>;

export const provenanceSchema = z
  .strictObject({
    kind: z.enum(["recorded", "imported", "authored"]).meta({
      description: "`recorded` from a provider, `imported` from another tool's capture, `authored` by hand.",
    }),
    recorded_at: z.iso.datetime().meta({ description: "When the response was recorded, imported or authored." }),
    recorder: z.string().min(1).max(100).meta({ description: "Program and version, such as `tapedeck/1.0.0`." }),
    timing: z.enum(["measured", "synthetic"]).meta({
      description: "`measured` by the recorder's clock, or `synthetic`: made up by the importer or the author.",
    }),
    clock: z
      .enum(["monotonic", "none"])
      .meta({ description: "`monotonic`: the recorder's; `none`: synthetic, or measured by another tool's clock." }),
    boundary: z.enum(["http-read", "sse-event"]).meta({
      description: "What one chunk is: one read of the HTTP body, or one or more whole SSE events.",
    }),
    source: z
      .record(z.string().max(100), z.union([z.string().max(2000), z.number(), z.boolean(), z.null()]))
      .meta({ description: "Where it came from: request id, file, tool, author." }),
  })
  .meta({ id: "Provenance" });
export type Provenance = z.infer<typeof provenanceSchema>;

export const redactionSchema = z
  .strictObject({
    place: z.string().max(500).meta({ description: "JSON pointer in the request, or `response` and a byte offset." }),
    rule: z.string().max(100).meta({ description: "Name of the pattern that matched." }),
    byte_length: z.int().positive().meta({ description: "Bytes that were replaced, one for one." }),
  })
  .meta({ id: "Redaction" });
export type Redaction = z.infer<typeof redactionSchema>;

export const cassetteEndSchema = z.enum(["complete", "truncated", "error"]).meta({
  description: "`complete`: ended as the protocol says; `truncated`: cut off; `error`: ended by an error.",
});

/**
 * One recorded provider response: format version 1.
 * Hashes are over the decoded bytes, never over this JSON, so re-indenting a file does no harm.
 */
export const cassetteSchema = z
  .strictObject({
    schema: z.literal("cassette/1"),
    id: cassetteIdSchema,
    title: z.string().min(1).max(200).meta({ description: "What it is, in a few words." }),
    subtitle: z.string().max(300).meta({ description: "One line more; that of an authored cassette says so." }),
    provider: z.literal("anthropic").meta({ description: "The protocol that the response speaks." }),
    provenance: provenanceSchema,
    request: z.strictObject({
      path: z.literal("/v1/messages"),
      body: z.record(z.string(), z.unknown()).meta({ description: "The request's JSON body, secrets removed." }),
      sha256: sha256Schema.meta({ description: "SHA-256 of the canonical JSON (sorted keys) of `body`." }),
      redactions: z.array(redactionSchema).max(10_000),
    }),
    response: z.strictObject({
      status: z.int().min(200).max(599),
      headers: z.record(z.string().regex(/^[a-z0-9-]+$/), z.string().max(2000)),
      wire: z.strictObject({
        content_encoding: z.string().max(40).nullable(),
        bytes: z.int().min(0).meta({ description: "Bytes on the wire, before any content decoding." }),
      }),
    }),
    chunks: z.array(chunkSchema).max(maxChunkCount),
    end: cassetteEndSchema,
    usage: z.record(z.string(), z.unknown()).meta({ description: "Token usage as the provider reported it last." }),
    integrity: z.strictObject({
      body_sha256: sha256Schema.meta({ description: "SHA-256 of all chunks' bytes joined." }),
      chunks_sha256: sha256Schema.meta({
        description:
          "SHA-256 over each chunk's byte length (u32, big-endian), delay in microseconds (u64, big-endian) and bytes.",
      }),
    }),
  })
  .meta({
    title: "Tapedeck cassette, version 1",
    description: "One recorded model-provider response: its request, headers, and body as timed chunks.",
  });
export type Cassette = z.infer<typeof cassetteSchema>;

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

/** Address of the cassette format's JSON Schema below a site's origin. */
export const cassetteSchemaPath = "/schemas/cassette-1.schema.json";

/** The cassette format as JSON Schema (draft 2020-12), with the descriptions of its zod schema. */
export function cassetteJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(cassetteSchema, { io: "input" }) as Record<string, unknown>;
}
