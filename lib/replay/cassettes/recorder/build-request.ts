import { parse } from "yaml";
import { z } from "zod";

/** The request cannot be sent as it was given; the message says what is missing or too much. */
export class RequestError extends Error {
  override readonly name = "RequestError";
}

/** Where a request comes from; what is named later in this list wins. */
export type RequestParts = {
  /** A whole request body, or parts of one. */
  base?: Record<string, unknown>;
  prompt?: string;
  system?: string;
  model?: string;
  maxTokens?: number;
};

/** Tokens asked for where nothing says how many. */
const defaultMaxTokens = 1024;

/** Puts the body of a Messages request together. Throws RequestError. */
export function buildRequest({ base = {}, prompt, system, model, maxTokens }: RequestParts): Record<string, unknown> {
  const { messages: given, ...rest } = base;
  if (prompt !== undefined && given !== undefined) {
    throw new RequestError("the request has messages already; leave out the prompt or the messages");
  }
  if (prompt !== undefined && prompt.trim() === "") throw new RequestError("the prompt is empty");
  const messages = prompt === undefined ? given : [{ role: "user", content: prompt }];
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new RequestError("there is nothing to ask: give --prompt, --prompt-file or a --request with messages");
  }
  const chosen = model ?? rest.model;
  if (typeof chosen !== "string" || chosen === "") {
    throw new RequestError("no model is named: give --model, or model in the prompt file's front matter");
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
