import * as z from "zod";

const differenceSchema = z.object({
  target: z.enum(["request", "response", "operation"]),
  at: z.string().meta({ description: "What differs; empty: the operation itself." }),
  change: z.string().meta({ description: "How, such as `is required`." }),
  breaking: z.boolean(),
  doc_only: z.boolean().meta({ description: "Whether only texts differ." }),
});

export const operationChangeSchema = z
  .object({
    method: z.string(),
    path: z.string().meta({ description: "As in the document, such as `/models/{model}`." }),
    urls: z.array(z.string()).meta({ description: "Where it is called, with parameters in braces." }),
    change: z.enum(["added", "removed", "changed"]),
    breaking: z.boolean().meta({ description: "Whether it can break a client that follows the older document." }),
    doc_only: z.boolean().meta({ description: "Whether only texts differ." }),
    significance: z.int().min(1).max(5),
    differences: z.array(differenceSchema).meta({ description: "The first ones; breaking ones come first." }),
    difference_count: z.int().min(0).meta({ description: "Including those that are left out." }),
    at: z.iso.datetime().meta({ description: "When it was noticed." }),
    diff_id: z.guid().meta({ description: "The document's diff." }),
  })
  .meta({ id: "OperationChange", description: "What changed of an operation in an OpenAPI document." });
export type OperationChangeItem = z.infer<typeof operationChangeSchema>;
