import { z } from "zod";
import { cassetteSchema } from "./schemas";

/** Address of the cassette format's JSON Schema below a site's origin. */
export const cassetteSchemaPath = "/schemas/cassette-1.schema.json";

/** The cassette format as JSON Schema (draft 2020-12), with the descriptions of its zod schema. */
export function cassetteJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(cassetteSchema, { io: "input" }) as Record<string, unknown>;
}
