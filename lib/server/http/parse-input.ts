import type { z } from "zod";
import type { Endpoint } from "#lib/contract/endpoint";
import { config } from "#lib/platform/config";
import { AppError } from "#lib/platform/errors";
import { isDisconnect } from "#lib/platform/log-failure";
import { takeLargeBody } from "./client-bounds";
import { validationMessage } from "./reply";
import { clientAddress, queryOf, type RequestView } from "./request";

/** Maximum size of a request body outside MCP, in bytes. */
export const maxBodyByteSize = 64 * 1024;

function parseParams(endpoint: Endpoint, view: RequestView, notFound: string): unknown {
  if (!endpoint.params) return undefined;
  const result = endpoint.params.safeParse(view.params);
  if (result.success) return result.data;
  if (endpoint.paramsErrorCode === "bad_request") {
    throw new AppError("bad_request", validationMessage(result.error, "Path parameter"));
  }
  throw new AppError("not_found", notFound);
}

function knownKeys(schema: z.ZodType): string[] {
  return Object.keys((schema as z.ZodObject).shape ?? {});
}

function parseQuery(endpoint: Endpoint, view: RequestView): unknown {
  if (!endpoint.query) return undefined;
  const given = queryOf(view.target);
  const values: Record<string, string> = {};
  for (const key of knownKeys(endpoint.query)) {
    const [value, ...more] = given.getAll(key);
    if (more.length > 0) throw new AppError("bad_request", `Query parameter "${key}" must be sent only once.`);
    const isIgnored = value === "" && endpoint.ignoresEmptyQuery;
    if (value !== undefined && !isIgnored) values[key] = value;
  }
  const result = endpoint.query.safeParse(values);
  if (!result.success) throw new AppError("bad_request", validationMessage(result.error, "Query parameter"));
  return result.data;
}

function sizeText(byteSize: number): string {
  return byteSize >= 1024 * 1024 ? `${byteSize / 1024 / 1024} MiB` : `${byteSize / 1024} KiB`;
}

async function readBody(endpoint: Endpoint, view: RequestView): Promise<Uint8Array> {
  if (!endpoint.body && !endpoint.rawBodyByteSize) return new Uint8Array();
  const limit = endpoint.rawBodyByteSize ?? endpoint.bodyByteSize ?? maxBodyByteSize;
  const encoding = view.header("content-encoding");
  if (encoding !== null && encoding !== "identity") {
    throw new AppError("bad_request", `The body is compressed (Content-Encoding: ${encoding}). Send it uncompressed.`);
  }
  const bytes = await view.readBody(limit).catch((cause) => {
    if (!isDisconnect(cause)) throw cause;
    throw new AppError("bad_request", "The connection was closed before the end of the body.", { cause });
  });
  if (bytes === null)
    throw new AppError("payload_too_large", `The body is larger than the maximum of ${sizeText(limit)}.`);
  return bytes;
}

function parseBody(endpoint: Endpoint, bytes: Uint8Array, view: RequestView): unknown {
  if (!endpoint.body) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    const type = view.header("content-type");
    const found = type === null || /\bjson\b/i.test(type) ? "" : ` Its Content-Type is ${type.slice(0, 100)}.`;
    throw new AppError("bad_request", `The body is not valid JSON in UTF-8.${found}`, { cause });
  }
  const result = endpoint.body.safeParse(json);
  if (!result.success) throw new AppError("bad_request", validationMessage(result.error, "Body field"));
  return result.data;
}

/** Parses a request by its endpoint's declaration. Throws AppError; `notFound` is the message for an invalid path. */
export async function parseInput(endpoint: Endpoint, view: RequestView, notFound: string) {
  const params = parseParams(endpoint, view, notFound);
  const query = parseQuery(endpoint, view);
  const free = takeLargeBody(endpoint, {
    contentLength: view.header("content-length"),
    address: () => clientAddress(view, config()),
  });
  try {
    const rawBody = await readBody(endpoint, view);
    const body = parseBody(endpoint, rawBody, view);
    return { params, query, body, rawBody, header: view.header, headers: view.headers, signal: view.signal };
  } finally {
    free();
  }
}
