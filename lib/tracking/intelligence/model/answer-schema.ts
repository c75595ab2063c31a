import * as z from "zod";
import { intelligenceCategories } from "#lib/tracking/report-categories/index";

export const maxSummaryLength = 500;
const maxListLength = 100;

const categoryMeanings: Record<(typeof intelligenceCategories)[number], string> = {
  "new-feature": "something that users can newly do",
  deprecation: "something is deprecated, retired or about to end",
  "pricing-change": "prices, plans, quotas or limits",
  "docs-restructure": "pages or sections moved, renamed or sorted anew, their substance kept",
  "api-change": "endpoints, parameters, authentication or behaviour of an API",
  "sdk-update": "client libraries and their versions",
  "model-release": "a machine-learning model came, or got a new version",
  "security-advisory": "a vulnerability, an incident, or an advice on security",
  "bug-fix": "something wrong was corrected",
  "content-expansion": "more documentation of what there was already",
  "content-reduction": "documentation was taken away",
  "formatting-only": "punctuation, white space, capitals: nothing a reader acts on",
};

export const categoryList = intelligenceCategories.map((name) => `- ${name}: ${categoryMeanings[name]}`).join("\n");

const quoted = "copied letter for letter from changed lines, without the mark in front";
const paths = "headings with those above them, joined by ' > '";

/** Requested answer. Has no bounds, because several providers reject schemas that have them. */
const askedSchema = z.strictObject({
  summary: z.string().describe(`One to three plain sentences, at most ${maxSummaryLength} characters.`),
  significance: z.literal([1, 2, 3, 4, 5]),
  categories: z.array(z.enum(intelligenceCategories)).describe("At least one, the weightiest first."),
  sections_added: z.array(z.string()).describe(`New sections: ${paths}`),
  sections_removed: z.array(z.string()).describe(`Sections that are gone: ${paths}`),
  sections_modified: z.array(z.string()).describe(`Sections that changed: ${paths}`),
  key_quotes: z.array(z.string()).describe(`Up to three lines that matter most, ${quoted}.`),
});

const list = z
  .array(z.string())
  .default([])
  .transform((entries) => entries.slice(0, maxListLength));

/** Accepted answer. Values out of bounds are corrected afterwards rather than rejected. */
export const modelAnswerSchema = z.object({
  summary: z.string().min(1),
  significance: z.number(),
  categories: list,
  sections_added: list,
  sections_removed: list,
  sections_modified: list,
  key_quotes: list,
});
export type ModelAnswer = z.infer<typeof modelAnswerSchema>;

export function askedJsonSchema() {
  const { $schema: _, ...schema } = z.toJSONSchema(askedSchema, { target: "draft-7", io: "input" });
  return schema;
}

/**
 * Stored state of a question to a model. `asked`: pending until a time; `answered`: with the
 * unverified answer; `unusable`: the answer had the wrong shape; `unanswered`: the model could not be reached.
 */
export const storedAnswerSchema = z.discriminatedUnion("state", [
  z.object({
    state: z.literal("asked"),
    /** The boundary in the prompt; also identifies this attempt. */
    boundary: z.string(),
    until: z.iso.datetime(),
  }),
  z.object({ state: z.literal("answered"), boundary: z.string(), answer: modelAnswerSchema }),
  z.object({ state: z.literal("unusable") }),
  z.object({ state: z.literal("unanswered") }),
]);
export type StoredAnswer = z.infer<typeof storedAnswerSchema>;
export type AskedAnswer = Extract<StoredAnswer, { state: "asked" }>;
export type EndedAnswer = Exclude<StoredAnswer, { state: "asked" }>;
