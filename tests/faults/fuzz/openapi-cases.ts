import { heavyBody, steeringHeaders } from "./heavy-parts";
import { type Choices, hostileStrings, hostileValues, nestedJson } from "./hostile-values";

type Schema = { type?: string; format?: string; enum?: unknown[]; default?: unknown };
type Parameter = { name: string; in: string; required?: boolean; schema: Schema; example?: unknown };
export type Operation = {
  method: string;
  path: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, { content?: Record<string, unknown> }>;
};

export type FuzzCase = { operation: Operation; target: string; headers: Record<string, string>; body: Buffer | null };

const contentTypes = "application/json text/plain application/x-www-form-urlencoded multipart/form-data *".split(" ");

/** Returns a value that the schema allows, roughly. */
function plausible({ type, format, enum: values, default: fallback }: Schema, choices: Choices): string {
  if (values) return String(choices.pick(values));
  if (type === "integer" || type === "number") return String(choices.below(120));
  if (format === "uuid") return `019aa5d4-6f00-7000-8000-00000000000${choices.below(10)}`;
  if (format === "date-time") return "2026-11-01T00:00:00Z";
  if (type === "boolean") return choices.pick(["true", "false", "1"]);
  return String(fallback ?? choices.pick(["stripe", "legal", "nda-review", "random", "replay", "quarry"]));
}

function parameterValue({ schema }: Parameter, choices: Choices): string {
  return choices.chance(0.5) ? plausible(schema, choices) : choices.pick(hostileStrings);
}

/** Percent-encodes a value; a lone surrogate becomes an encoding that is not UTF-8. */
function encode(value: string): string {
  return Buffer.from(value).toString() === value ? encodeURIComponent(value) : "%ed%a0%80";
}

function pathOf({ path, parameters = [] }: Operation, choices: Choices): string {
  return path.replaceAll(/\{(\w+)\}/g, (_text, name: string) => {
    const parameter = parameters.find((one) => one.name === name && one.in === "path");
    const value = encode(parameter ? parameterValue(parameter, choices) : "x");
    // An empty segment would be another path.
    return value === "" || /^\.+$/.test(value) ? "x" : value;
  });
}

function queryOf({ parameters = [] }: Operation, choices: Choices): string {
  const parts: string[] = [];
  for (const parameter of parameters.filter((one) => one.in === "query")) {
    const { name, required } = parameter;
    if (!choices.chance(required ? 0.9 : 0.5)) continue;
    for (let count = choices.chance(0.1) ? 2 : 1; count > 0; count -= 1) {
      parts.push(`${name}=${encode(parameterValue(parameter, choices))}`);
    }
  }
  if (choices.chance(0.2))
    parts.push(`${encode(choices.pick(hostileStrings))}=${encode(choices.pick(hostileStrings))}`);
  if (choices.chance(0.05)) parts.push(choices.pick(["%", "%zz", "%ff=%ff", "&&&", "=", "a[]=1&a[b]=2", "?"]));
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** Returns the example with one of its values replaced, removed or added. */
function mutate(value: unknown, choices: Choices): unknown {
  if (typeof value !== "object" || value === null || choices.chance(0.15)) return choices.pick(hostileValues);
  const copy: Record<string, unknown> = { ...(value as Record<string, unknown>) };
  const name = choices.pick([...Object.keys(copy), choices.pick(hostileStrings)]);
  if (choices.chance(0.25)) delete copy[name];
  else copy[name] = choices.chance(0.4) ? mutate(copy[name], choices) : choices.pick(hostileValues);
  return Array.isArray(value) ? Object.values(copy) : copy;
}

function bodyOf({ requestBody }: Operation, choices: Choices): Buffer | null {
  if (!requestBody) return choices.chance(0.05) ? Buffer.from("{}") : null;
  const example = Object.values(requestBody.content)[0]?.example ?? {};
  if (choices.chance(0.15)) return heavyBody(example, choices);
  if (choices.chance(0.75)) {
    let value: unknown = example;
    for (let count = choices.below(3); count > 0; count -= 1) value = mutate(value, choices);
    return Buffer.from(JSON.stringify(value) ?? "undefined");
  }
  const texts = [
    ...["", "{", "[", "null", '"', "{}{}", "\ufeff{}", '{"a":1,"a":2}', "NaN", "a=b", "--x\r\n\r\n--x--"],
    ...[nestedJson(5_000, ["[", "]"]), nestedJson(2_000, ['{"a":', "}"]), JSON.stringify("x".repeat(70 * 1024))],
    ...[`{"a":"\\ud800"}`, `{"__proto__":{"a":1}}`, `{"model":"\\u0000"}`, `{"id":${"9".repeat(400)}}`],
  ];
  const binary = [Buffer.from([0xff, 0xfe, 0x7b]), Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.alloc(2_000, 0)];
  return choices.chance(0.85) ? Buffer.from(choices.pick(texts)) : choices.pick(binary);
}

function headersOf(operation: Operation, choices: Choices, key: string): Record<string, string> {
  const headers: Record<string, string> = {};
  const keys = [undefined, undefined, `Bearer ${key}`, `Bearer ${key}`, `Bearer ${key}x`, "Bearer", "Basic YTpi", "é"];
  const authorization = choices.pick(keys);
  if (authorization !== undefined) headers.authorization = authorization;
  const usual = operation.method === "post" ? "application/json" : undefined;
  const type = choices.chance(0.8) ? usual : choices.pick(contentTypes);
  if (type !== undefined) headers["content-type"] = type;
  for (const { name, in: place } of operation.parameters ?? []) {
    // Other characters cannot be sent in a header.
    const value = choices.pick(hostileStrings).replaceAll(/[^\x20-\x7e\x80-\xff]/g, "");
    if (place === "header" && choices.chance(0.5)) headers[name] = value;
  }
  const others = "accept content-encoding range if-none-match if-modified-since rsc next-action cookie".split(" ");
  if (choices.chance(0.3))
    headers[choices.pick(others)] = choices.pick(["1", "*", "gzip", "bytes=0-1", "text/event-stream"]);
  return choices.chance(0.3) ? { ...headers, ...steeringHeaders(choices) } : headers;
}

/** Returns a random request to one of the operations, with this API key in some cases. */
export function fuzzCase(operations: readonly Operation[], choices: Choices, key: string): FuzzCase {
  const operation = choices.pick(operations);
  const target = pathOf(operation, choices) + queryOf(operation, choices);
  return { operation, target, headers: headersOf(operation, choices, key), body: bodyOf(operation, choices) };
}
