import { parse } from "yaml";
import { z } from "zod";
import { RequestError } from "./build-request";

/** A prompt, with what its front matter says beside it. */
export type PromptFile = {
  title?: string;
  subtitle?: string;
  prompt: string;
  /** Further members of the request: `model`, `system`, `max_tokens`, `thinking`, `tools`, … */
  request: Record<string, unknown>;
};

const frontMatterSchema = z.looseObject({
  title: z.string().min(1).max(200).optional(),
  subtitle: z.string().max(300).optional(),
  model: z.string().optional(),
  max_tokens: z.int().positive().optional(),
  messages: z.never({ error: "belongs into a --request file; the text below is the prompt" }).optional(),
});

const frontMatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

function parseFrontMatter(yaml: string): z.infer<typeof frontMatterSchema> {
  let value: unknown;
  try {
    value = parse(yaml) ?? {};
  } catch (cause) {
    throw new RequestError(`the front matter is not valid YAML: ${(cause as Error).message.split("\n")[0]}`, { cause });
  }
  const result = frontMatterSchema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new RequestError(`the front matter: ${issue?.path.join(".") || "it"} ${issue?.message}`);
}

/** Reads a prompt file: plain text or markdown, with optional YAML between two lines of `---`. Throws RequestError. */
export function parsePromptFile(text: string): PromptFile {
  const match = frontMatter.exec(text);
  if (!match) return { prompt: text.replace(/^\uFEFF/, "").trim(), request: {} };
  const { title, subtitle, messages: _none, ...request } = parseFrontMatter(match[1] ?? "");
  return { title, subtitle, prompt: text.slice(match[0].length).trim(), request };
}
