import * as z from "zod";

export const modelStatuses = ["active", "deprecated", "retired", "unknown"] as const;
export type ModelStatus = (typeof modelStatuses)[number];

const day = z.iso.date().nullable();
const usd = z.number().min(0);
const successorSchema = z.object({ provider: z.string(), id: z.string() });
const tokenCount = z.int().min(0).nullable();

export const modelSchema = z
  .object({
    provider: z.string(),
    id: z.string(),
    name: z.string(),
    aliases: z.array(z.string()),
    status: z.enum(modelStatuses).describe("Today, by its dates; `unknown` if no source says whether it will end."),
    released: day,
    deprecated: day,
    retired: day.describe("Day from which it does not answer, past or to come."),
    retired_not_before: day.describe("If no day is set: it does not end before this one."),
    may_end: z.boolean().describe("Whether it may end at any time: that day has passed, and no end is set."),
    successors: z.array(successorSchema).describe("As its source states them, recommended first."),
    successor: successorSchema
      .nullable()
      .describe("The first of `successors`, or of theirs, that does not end; else one that may or will end later."),
    price: z
      .object({ input: usd, output: usd, cache_read: usd.nullable(), cache_write: usd.nullable() })
      .nullable()
      .describe("USD per million tokens."),
    limits: z.object({ context: tokenCount, output: tokenCount }).nullable().describe("In tokens."),
    sources: z.array(z.object({ url: z.url(), read: z.iso.date() })).describe("With the day it was read."),
  })
  .meta({ id: "Model", description: "What public sources say of a model. It is not the vendor's word." });
export type Model = z.infer<typeof modelSchema>;

/** What sources say of a model. The rest follows from it, the day and the other models. */
export const statedModelSchema = modelSchema.omit({ may_end: true, successor: true });
export type StatedModel = z.infer<typeof statedModelSchema>;

export const modelChangeSchema = z
  .object({
    provider: z.string(),
    id: z.string(),
    field: z.string().describe("Field of the model, or `listed`: true if the source has it, null if it has not."),
    before: z.unknown().describe("Value of the field before; null if there was none."),
    after: z.unknown(),
    significance: z.int().min(1).max(5),
    at: z.iso.datetime().describe("When it was noticed."),
    source: z.url().describe("Catalogue that changed."),
    diff_id: z.guid().nullable().describe("The catalogue's diff; null once that is deleted."),
  })
  .meta({ id: "ModelChange", description: "A change of one field of a model." });
export type ModelChangeItem = z.infer<typeof modelChangeSchema>;

const answered = {
  read: z.iso.date().describe("Day on which the catalogue's sources were last read."),
  age_warning: z.string().optional().describe("If that is more than 60 days ago: that models may have ended since."),
};
const caveatSchema = z
  .string()
  .optional()
  .describe("If the name is that of a cloud without an entry of its own: whose dates these are.");

export const modelDetailSchema = z
  .object({
    ...modelSchema.shape,
    caveat: caveatSchema,
    ...answered,
    history: z.array(modelChangeSchema).describe("The newest changes of its fields, newest first."),
  })
  .meta({ id: "ModelDetail", description: "A model with what changed." });
export type ModelDetail = z.infer<typeof modelDetailSchema>;

/** What an answer to a name says of the model. */
const summarySchema = modelSchema.omit({ name: true, aliases: true, released: true, price: true, limits: true });

export const modelAnswerSchema = z
  .object({
    name: z.string().describe("As it was given."),
    result: z.enum(["found", "several", "unknown"]).describe("Several providers can have a model of one name."),
    model: summarySchema.nullable().describe("Null unless it is found."),
    caveat: caveatSchema,
    nearest: z
      .array(z.string())
      .optional()
      .describe("Unless it is found: those meant, or the nearest, as `provider/id`."),
  })
  .meta({ id: "ModelAnswer", description: "What a name means." });
export type ModelAnswer = z.infer<typeof modelAnswerSchema>;

export const modelListSchema = z.object({
  ...answered,
  caveat: caveatSchema,
  count: z.int().min(0),
  models: z.array(modelSchema),
  answers: z.array(modelAnswerSchema).optional().describe("With `models`: one for each name, in their order."),
  similar: z.array(z.string()).optional().describe("If no model matches `q`: the nearest, as `provider/id`."),
});
export type ModelList = z.infer<typeof modelListSchema>;
