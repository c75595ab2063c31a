import {
  encodeBody,
  minKnownLength,
  type Redaction,
  type RequestBody,
  redact,
  signatureNames,
  storableText,
} from "#lib/replay/cassettes/index";
import { processHeader } from "#lib/replay/interception/index";
import { summarizeBytes } from "./binary-body";
import { decodeRequest } from "./decode-request";
import { readMultipart } from "./multipart";
import type { TapeRequest } from "./tape-request";
import { placeholder } from "./upstreams";

/** Returns a JSON value with sorted members, so that files differ only where requests differ. */
function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortMembers(member)]));
}

/** Shortest text of `redact` in the configuration, in characters. Keys have to be longer: a short one may be a word. */
export const minRedactLength = 3;
/** Shortest text of `allow` in the configuration, in characters: a short one is a part of many secrets. */
export const minAllowLength = 6;

/** Names of variables that say that the value is a secret. `PWD` itself is the working folder. */
const secretName = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$|(?:^|_)(?:PASS|PAT|AUTH|DSN)$|_PWD$/;

/** Shortest value that counts whatever it is, in characters. */
const minVariableLength = 13;

/** Whether a short value is no word, name, version or number, which other texts have too: these have letters, then perhaps digits. */
function isUnusual(value: string): boolean {
  const isMixed = (run: string) => run.length >= 6 && /[A-Za-z][0-9]+[A-Za-z]|[0-9][A-Za-z]+[0-9]/.test(run);
  return (
    value.length >= minKnownLength && (/[!#$%&*+;<=>?@^|~]/.test(value) || value.split(/[^A-Za-z0-9]/).some(isMixed))
  );
}

/** Returns the values of variables whose names say that they are secrets. */
export function secretsOf(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value = ""]) =>
    secretName.test(name) && value !== placeholder && (value.length >= minVariableLength || isUnusual(value))
      ? [value]
      : [],
  );
}

/** Masks secrets in a text that is shown. */
export function maskText(text: string, secrets: readonly string[]): string {
  const { body } = redact({ body: { body: text }, headers: {}, chunks: [] }, secrets, { minLength: minRedactLength });
  return body.body as string;
}

/** Returns the keys among some values. */
export function keysOf(values: readonly string[]): string[] {
  return values.filter(({ length }) => length >= minKnownLength);
}

type BytesOptions = { secrets: readonly string[]; allowed: readonly string[]; isAnswer: boolean };

/** Masks secrets in bytes that are no text; their length stays the same. */
export function maskBytes(
  bytes: Uint8Array,
  place: string,
  { secrets, ...rest }: BytesOptions,
): Redacted & { bytes: Buffer } {
  const options = { minLength: minRedactLength, ...rest };
  const clean = redact({ body: {}, headers: {}, chunks: [{ deltaMs: 0, bytes }] }, secrets, options);
  const atPlace = (found: Redaction) => ({ ...found, place });
  return {
    bytes: Buffer.concat(clean.chunks.map((chunk) => chunk.bytes)),
    redactions: clean.redactions.map(atPlace),
    suspicions: clean.suspicions.map(atPlace),
  };
}

/** Returns texts with the forms that they have in URLs and in forms. */
function withEncoded(texts: readonly string[]): string[] {
  const encoded = texts.map(encodeURIComponent);
  return [...new Set([...texts, ...encoded, ...encoded.map((text) => text.replaceAll("%20", "+"))])];
}

/** Masks secrets in a request, as the recorder does, so that it is compared as it is stored. */
function redactRequest(
  { body, contentType, hasTexts }: { body: Uint8Array; contentType: string; hasTexts?: boolean },
  secrets: readonly string[],
  allowed: readonly string[],
): Redacted & { body: RequestBody } {
  const parts = readMultipart(contentType, body, hasTexts);
  if (!parts && storableText(body) === null) {
    const masked = maskBytes(body, "", { secrets, allowed, isAnswer: false });
    return { ...masked, body: summarizeBytes(masked.bytes) };
  }
  const encoded: RequestBody = parts ? { json: { multipart: parts } } : encodeBody(body);
  if (encoded === null || "b" in encoded) return { body: encoded, redactions: [], suspicions: [] };
  const given = "json" in encoded ? encoded.json : encoded.s;
  const known = "json" in encoded ? secrets : withEncoded(secrets);
  const clean = redact({ body: { body: given }, headers: {}, chunks: [] }, known, {
    minLength: minRedactLength,
    allowed,
  });
  const inBody = ({ place, ...rest }: Redaction) => ({ place: place.replace(/^\/body/, ""), ...rest });
  const value = clean.body.body as typeof given;
  return {
    body: "json" in encoded ? { json: sortMembers(value) as typeof given } : { s: value as string },
    redactions: clean.redactions.map(inBody),
    suspicions: clean.suspicions.map(inBody),
  };
}

/** Names of query parameters and headers that contain credentials. */
const credential = new RegExp(
  `^(?:(?:proxy-)?authorization|key|token|password|(?:client[-_]?)?secret|(?:x-)?(?:goog-)?api[-_]?key|(?:access|auth|security)[-_]?token|(?:ocp-apim-)?subscription-key|${signatureNames})$`,
  "i",
);

export type RawRequest = {
  method: string;
  host?: string | undefined;
  path: string;
  query: string;
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  body: Uint8Array;
};

/**
 * Headers that select what is answered to a method and URL: a range, a condition, the operation of services of AWS, the source
 * of a copy, and what PostgREST returns.
 */
const selecting = [
  ...["range", "x-ms-range", "content-range", "prefer", "x-amz-target"],
  ...["if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range"],
  ...["x-amz-copy-source", "x-amz-copy-source-range", "x-goog-copy-source", "x-ms-copy-source"],
];
const maxHeaderLength = 2000;

/** Whether a header or query parameter has a credential, which is never stored. */
export const isCredential = (name: string) => credential.test(name) || name.toLowerCase() === "cookie";

/** Returns the headers of a request that select its answer, and those with the given names; undefined if it has none. */
function selectingHeaders(
  headers: RawRequest["headers"],
  { names, ...options }: MaskOptions & { names: readonly string[] },
): TapeRequest["headers"] {
  const found = [...new Set([...selecting, ...names])].flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, maskUrl(String(value), options).slice(0, maxHeaderLength)] as const];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

export type MaskOptions = { secrets: readonly string[]; allowed: readonly string[] };

/** Returns the headers of a request that a test may see: without credentials and cookies, and with secrets masked. */
export function visibleHeaders(
  headers: RawRequest["headers"],
  { secrets, allowed }: MaskOptions,
): Record<string, string> {
  const visible = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || credential.test(name) || name === "cookie" || name === processHeader
      ? []
      : [[name, String(value)]],
  );
  const options = { minLength: minRedactLength, allowed };
  const clean = redact({ body: {}, headers: Object.fromEntries(visible), chunks: [] }, secrets, options);
  return clean.headers as Record<string, string>;
}

/** Masks secrets in a path and the values of a query, whose credentials are left out, or replaced by a mask. */
function maskPlace(
  { path, query }: Pick<RawRequest, "path" | "query">,
  { secrets, allowed, credentialMask }: MaskOptions & { credentialMask?: string },
): Redacted & { path: string; query: string } {
  const parameters = [...new URLSearchParams(query)].flatMap(([name, value]) => {
    if (!credential.test(name)) return [[name, value] as const];
    return credentialMask === undefined ? [] : [[name, credentialMask] as const];
  });
  // Each value below its name, which may say that it is a secret.
  const members = parameters.map((parameter) => Object.fromEntries([parameter]));
  // A path is compared as it was sent.
  const clean = redact({ body: { path, query: members }, headers: {}, chunks: [] }, withEncoded(secrets), {
    minLength: minRedactLength,
    allowed,
  });
  const masked = (clean.body.query as Record<string, string>[]).flatMap((member) => Object.entries(member));
  const named = ({ place, ...rest }: Redaction) => ({ place: place.replace(/^\/query\/\d+/, "/query"), ...rest });
  return {
    path: clean.body.path as string,
    query: new URLSearchParams(masked).toString(),
    redactions: clean.redactions.map(named),
    suspicions: clean.suspicions.map(named),
  };
}

/** Returns a URL up to its query, its query and its fragment, each of these with its sign. */
function partsOf(url: string): [string, string, string] {
  const [, path = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? [];
  return [path, query, fragment];
}

/**
 * Masks secrets in a URL that a client may follow, as those of a request are masked; a fragment has the parameters of some
 * logins. What has no secrets stays as it is written.
 */
export function maskUrl(url: string, options: MaskOptions): string {
  const [path, ...rest] = partsOf(url);
  const maskParameters = (part: string) => {
    const query = part.slice(1);
    const masked = maskPlace({ path: "", query }, { ...options, credentialMask: "*".repeat(8) }).query;
    return masked === new URLSearchParams(query).toString() ? part : `${part[0]}${masked}`;
  };
  return [maskPlace({ path, query: "" }, options).path, ...rest.map(maskParameters)].join("");
}

/** Returns the credentials of a URL, which must not get into a file. */
export function credentialsOfUrl(url: string): string[] {
  return partsOf(url).flatMap((part) => credentialsOf({ headers: {}, query: part.slice(1) }));
}

/** Returns the credentials of a request, which must not get into a file. */
export function credentialsOf({ headers, query }: Pick<RawRequest, "headers" | "query">): string[] {
  const values = [
    ...Object.entries(headers).flatMap(([name, value]) => (credential.test(name) && value ? [String(value)] : [])),
    ...query.split("&").flatMap((parameter) => {
      const [[name, value] = ["", ""]] = new URLSearchParams(parameter);
      return credential.test(name) ? [value, parameter.slice(parameter.indexOf("=") + 1)] : [];
    }),
  ];
  return keysOf(values.flatMap((value) => [value, value.replace(/^\S+\s+/, ""), encodeURIComponent(value)]));
}

/** What was masked, and what looks like a secret and was not. */
export type Redacted = { redactions: Redaction[]; suspicions: Redaction[] };

/** A request as it is stored and compared. `problem` says why it cannot be stored. */
export type ReadRequest = Redacted & { asked: TapeRequest; problem: string | undefined };

/**
 * Reads a request, without its credentials and with the given texts masked, but not those that are allowed. `compared` has the
 * names of headers that are kept besides those that select the answer.
 */
export function readRequest(
  { method, host, path, query, headers, body }: RawRequest,
  secrets: readonly string[],
  allowed: readonly string[] = [],
  compared: readonly string[] = [],
): ReadRequest {
  const place = maskPlace({ path, query }, { secrets, allowed });
  const { body: decoded, problem } = decodeRequest(body, headers["content-encoding"]);
  const contentType = String(headers["content-type"] ?? "");
  const read = (hasTexts: boolean) => redactRequest({ body: decoded, contentType, hasTexts }, secrets, allowed);
  const whole = read(true);
  const hashed = readMultipart(contentType, decoded)?.some(({ file, text }) => file !== null && text !== undefined)
    ? read(false)
    : undefined;
  // A file that may have a secret is stored by its hash.
  const isStored = !hashed || whole.suspicions.length === hashed.suspicions.length;
  const { body: masked, redactions, suspicions } = isStored ? whole : hashed;
  const selected = selectingHeaders(headers, { secrets, allowed, names: compared });
  return {
    asked: {
      method,
      host,
      path: place.path,
      query: place.query,
      headers: selected,
      body: masked,
      hashed: hashed?.body,
    },
    redactions: [...place.redactions, ...redactions],
    suspicions: [...place.suspicions, ...suspicions],
    problem,
  };
}
