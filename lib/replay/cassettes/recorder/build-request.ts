import { parse } from "yaml";
import * as z from "zod";
import type { Ask, Provider } from "#lib/replay/providers/index";

type Json = Record<string, unknown>;

/** The request is incomplete or contradictory; the message says why. */
export class RequestError extends Error {
  override readonly name = "RequestError";
}

type RequestParts = Ask & {
  /** Body of a request, or fields of one. */
  base?: Json;
};

/** A request for an answer, as it is sent. */
export type BuiltRequest = { path: string; query: string; body: Json };

const isEmpty = (value: unknown) => value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

/** Joins the fields of both; of a field that is an object in both, the members too. The later fields win. */
function mergeFields(fields: Json, later: Json): Json {
  const isObject = (value: unknown) => value !== null && typeof value === "object" && !Array.isArray(value);
  const merged = Object.entries(later).map(([name, value]) => {
    const known = fields[name];
    return [name, isObject(known) && isObject(value) ? { ...(known as Json), ...(value as Json) } : value];
  });
  return { ...fields, ...Object.fromEntries(merged) };
}

function checkPrompt({ historyField }: Provider, { base = {}, prompt, system, maxTokens }: RequestParts): void {
  const history = historyField.slice(1);
  if (prompt === undefined) {
    if (isEmpty(base[history]) && isEmpty(base.prompt)) {
      throw new RequestError(`there is no prompt: give --prompt, --prompt-file, or --request with ${history}`);
    }
    if (system !== undefined || maxTokens !== undefined) {
      throw new RequestError("a system prompt and a maximum of tokens must be in the --request file itself");
    }
  } else {
    if (!isEmpty(base[history])) {
      throw new RequestError(`the request already has ${history}; give either a prompt or ${history}`);
    }
    if (prompt.trim() === "") throw new RequestError("the prompt is empty");
  }
}

/**
 * Builds a request for an answer. With a prompt, `base` adds fields; without one, `base` is sent as it stands, with the
 * given model. Throws RequestError.
 */
export function buildRequest(provider: Provider, parts: RequestParts): BuiltRequest {
  const { base = {}, model, isStream, ...asked } = parts;
  const { bodyOf, defaults, pathOf } = provider.upstream;
  checkPrompt(provider, parts);
  const wantsStream = isStream ?? base.stream !== false;
  const fields =
    asked.prompt === undefined
      ? mergeFields(base, bodyOf({ model }))
      : mergeFields(
          mergeFields(defaults?.(wantsStream) ?? {}, base),
          bodyOf({ ...asked, model, isStream: wantsStream }),
        );
  const place = pathOf(fields, { model, isStream: wantsStream });
  const request = { method: "POST", ...place, body: fields };
  const chosen = model ?? fields.model;
  if (typeof chosen !== "string" || chosen === "") {
    throw new RequestError("there is no model: give --model, or model in the prompt file's front matter");
  }
  if (isStream === false && provider.formOf(request) !== "whole") {
    throw new RequestError('the --request file asks for a stream: write "stream": false into it');
  }
  // The path has the model where the body has no place for it.
  const { model: _inPath, ...rest } = fields;
  return { ...place, body: "model" in bodyOf({ model: chosen }) ? fields : rest };
}

type PromptFile = {
  title?: string;
  subtitle?: string;
  prompt: string;
  model?: string;
  system?: string;
  maxTokens?: number;
  /** Other fields of the request, as the provider names them: `thinking`, `tools`, … */
  request: Json;
};

const frontMatterSchema = z.looseObject({
  title: z.string().min(1).max(200).optional(),
  subtitle: z.string().max(300).optional(),
  model: z.string().optional(),
  system: z.union([z.string(), z.array(z.unknown())]).optional(),
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
  const { title, subtitle, model, system, max_tokens, messages: _none, ...rest } = parseFrontMatter(match[1] ?? "");
  const prompt = text.slice(match[0].length).trim();
  const head = { title, subtitle, model, maxTokens: max_tokens, prompt };
  return typeof system === "string" ? { ...head, system, request: rest } : { ...head, request: { ...rest, system } };
}
