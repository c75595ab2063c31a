import * as z from "zod";

export const differenceSchema = z.object({
  target: z.enum(["request", "response", "operation"]),
  at: z.string().describe("What differs; empty: the operation itself."),
  change: z.string().describe("How, such as `is required`."),
  breaking: z.boolean(),
  doc_only: z.boolean().describe("Whether only texts differ."),
});

export const operationChangeSchema = z
  .object({
    method: z.string(),
    path: z.string().describe("As in the document, such as `/models/{model}`."),
    urls: z.array(z.string()).describe("Where it is called, with parameters in braces."),
    change: z.enum(["added", "removed", "changed"]),
    breaking: z.boolean().describe("Whether it can break a client that follows the older document."),
    doc_only: z.boolean().describe("Whether only texts differ."),
    significance: z.int().min(1).max(5),
    differences: z.array(differenceSchema).describe("The first ones; breaking ones come first."),
    difference_count: z.int().min(0).describe("Including those that are left out."),
    at: z.iso.datetime().describe("When it was noticed."),
    diff_id: z.guid().describe("The document's diff."),
  })
  .meta({ id: "OperationChange", description: "What changed of an operation in an OpenAPI document." });
export type OperationChangeItem = z.infer<typeof operationChangeSchema>;
