import { z } from "zod";
import { type IntelligenceCategory, intelligenceCategorySchema } from "../analysis";

/** Ways to make the newer text of the older one; each must find what it names, just once where not said otherwise. */
export const editSchema = z.union([
  z.strictObject({ replace: z.string().min(1), with: z.string() }),
  /** Everywhere, at least once. */
  z.strictObject({ replace_all: z.string().min(1), with: z.string() }),
  /** The one line that contains it. */
  z.strictObject({ remove_line: z.string().min(1) }),
  /** A heading's line, with all below it up to the next heading of its level or above. */
  z.strictObject({ remove_section: z.string().min(1) }),
  z.strictObject({ move_section: z.string().min(1), before: z.string().min(1) }),
]);
export type Edit = z.infer<typeof editSchema>;

/** A change of the file's text with its labels. */
const labelledEntrySchema = z
  .strictObject({
    name: z.string().min(1),
    edits: z.array(editSchema).min(1).optional(),
    /** The newer text as a whole. */
    rewrite: z.string().optional(),
    /** Null: the base is the first version that there is. */
    from: z.null().optional(),
    significance: z.int().min(1).max(5),
    categories: z.array(intelligenceCategorySchema).min(1),
    /** Why a label may surprise. */
    why: z.string().optional(),
  })
  .refine(
    ({ edits, rewrite, from }) => [edits, rewrite, from].filter((way) => way !== undefined).length === 1,
    "must have one of edits, rewrite and from",
  );

/** A file of a labelled set: changes of one text. */
export const labelledFileSchema = z.strictObject({
  /** A file of the folder `bases`. */
  base: z.string().regex(/^[\w.-]+$/, "must be a file's name"),
  changes: z.array(labelledEntrySchema).min(1),
});
export type LabelledEntry = z.infer<typeof labelledFileSchema>["changes"][number];

/** A change with what a careful person says of it. */
export type LabelledChange = {
  name: string;
  before: string | null;
  after: string;
  significance: number;
  categories: IntelligenceCategory[];
};

/** A labelled set that cannot be read; the message says where and why. */
export class LabelledSetError extends Error {}
