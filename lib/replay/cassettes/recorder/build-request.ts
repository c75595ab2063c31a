import { parse } from "yaml";
import { z } from "zod";

/** The request is incomplete or contradictory; the message says why. */
export class RequestError extends Error {
  override readonly name = "RequestError";
}

/** Sources of a request; later ones override earlier ones. */
type RequestParts = {
  /** A whole request body, or parts of one. */
  base?: Record<string, unknown>;
  prompt?: string;
  system?: string;
  model?: string;
  maxTokens?: number;
};

/** `max_tokens` if no source gives it. */
const defaultMaxTokens = 1024;

/** Builds the body of a Messages request. Throws RequestError. */
export function buildRequest({ base = {}, prompt, system, model, maxTokens }: RequestParts): Record<string, unknown> {
  const { messages: baseMessages, ...rest } = base;
  if (prompt !== undefined && baseMessages !== undefined) {
    throw new RequestError("the request already has messages; give either a prompt or messages");
  }
  if (prompt !== undefined && prompt.trim() === "") throw new RequestError("the prompt is empty");
  const messages = prompt === undefined ? baseMessages : [{ role: "user", content: prompt }];
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new RequestError("there is no prompt: give --prompt, --prompt-file, or --request with messages");
  }
  const chosen = model ?? rest.model;
  if (typeof chosen !== "string" || chosen === "") {
    throw new RequestError("there is no model: give --model, or model in the prompt file's front matter");
  }
  return {
    max_tokens: defaultMaxTokens,
    ...rest,
    model: chosen,
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(system === undefined ? {} : { system }),
    messages,
    stream: true,
  };
}

/** A prompt and its front matter. */
type PromptFile = {
  title?: string;
  subtitle?: string;
  prompt: string;
  /** Other fields of the request: `model`, `system`, `max_tokens`, `thinking`, `tools`, … */
  request: Record<string, unknown>;
};

const frontMatterSchema = z.looseObject({
  title: z.string().min(1).max(200).optional(),
  subtitle: z.string().max(300).optional(),
  model: z.string().optional(),
  max_tokens: z.int().positive().optional(),
  messages: z
    .never({ error: "must be given in a --request file; the prompt is the text below the front matter" })
    .optional(),
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

/** Parses a prompt file: plain text or markdown, with optional YAML between two lines of `---`. Throws RequestError. */
export function parsePromptFile(text: string): PromptFile {
  const match = frontMatter.exec(text);
  if (!match) return { prompt: text.replace(/^\uFEFF/, "").trim(), request: {} };
  const { title, subtitle, messages: _none, ...request } = parseFrontMatter(match[1] ?? "");
  return { title, subtitle, prompt: text.slice(match[0].length).trim(), request };
}
