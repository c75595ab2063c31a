import * as z from "zod";
import { parseUrl } from "#lib/platform/parse-url";

/** Longest name of an operation. */
const maxNameLength = 500;

/** Names may have parameters of paths as their document writes them, of which a URL escapes the braces. */
const decodeBraces = (path: string) => path.replaceAll("%7B", "{").replaceAll("%7D", "}");

/** Returns the name of a method and a URL; undefined if the text is none. */
function readName(text: string): string | undefined {
  const [, method = "", place = ""] = /^\s*([a-z]+)\s+(?:https?:\/\/)?(\S+?)\s*$/i.exec(text) ?? [];
  const url = place === "" ? undefined : parseUrl(`https://${place}`);
  return url && `${method.toUpperCase()} ${url.host}${decodeBraces(url.pathname).replace(/\/+$/, "")}`;
}

/** A call of an operation, read as `POST api.openai.com/v1/responses`: without scheme, query and trailing slash. */
export const operationNameSchema = z
  .string()
  .max(maxNameLength, `must have at most ${maxNameLength} characters`)
  .refine((text) => readName(text) !== undefined, {
    error: "must be a method and a URL, such as POST https://api.openai.com/v1/responses",
    abort: true,
  })
  .overwrite((text) => readName(text) ?? text);
