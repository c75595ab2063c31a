import { isUtf8 } from "node:buffer";
import { formatCount } from "#lib/platform/format-count";
import { printableLines } from "#lib/platform/printable";
import {
  type Cassette,
  describeCassette,
  objectOf,
  type RecordedAnswer,
  readRecordedAnswer,
  recordedAtOf,
  type VerifiedCassette,
} from "#lib/replay/cassettes/index";
import {
  type AnswerPart,
  asObject,
  jsonText,
  objectsOf,
  type Provider,
  requireProvider,
  textOrNull,
} from "#lib/replay/providers/index";
import { isKnownModel, messagesOf, modelOf, readSteps, type TapeRequest } from "#lib/replay/recording-proxy/index";
import { type CommandIo, writeJson } from "./io";

type Json = Record<string, unknown>;

/** Longest text that is shown of one part of a message, in characters. */
const maxPartLength = 4_000;

function clip(text: string): string {
  if (text.length <= maxPartLength) return text;
  return `${text.slice(0, maxPartLength)}… (${text.length - maxPartLength} more characters; --json prints them)`;
}

/** Most items of a list, and characters of a text, that are shown of JSON which is no conversation. */
const maxShown = { items: 8, characters: 300 };

/** Returns a value as indented JSON, in which long lists, such as vectors, and long texts, such as images, are shortened. */
function shortJson(value: unknown): string {
  const shorten = (_key: string, member: unknown) => {
    if (Array.isArray(member) && member.length > maxShown.items)
      return [...member.slice(0, maxShown.items), `… ${member.length - maxShown.items} more`];
    if (typeof member === "string" && member.length > maxShown.characters)
      return `${member.slice(0, maxShown.characters)}… ${member.length - maxShown.characters} more characters`;
    return member;
  };
  return clip(JSON.stringify(value, shorten, 2));
}

/** Returns an answer that is none of a conversation: its JSON, its first events or its text, or the size of its bytes. */
function otherText({ events }: Pick<RecordedAnswer, "events">, { cassette, chunks }: VerifiedCassette): string {
  const more = events.length - maxShown.items;
  const shown = events.slice(0, maxShown.items).map(({ json, data }) => (json ? shortJson(json) : clip(data)));
  if (shown.length > 0)
    return [...shown, ...(more > 0 ? [`… ${more} more events; --events prints them`] : [])].join("\n");
  const bytes = Buffer.concat(chunks.map((chunk) => chunk.bytes));
  if (isUtf8(bytes)) return clip(bytes.toString("utf8"));
  return `${cassette.response.headers["content-type"] ?? "no content type"}, ${formatCount(bytes.length, "byte")}`;
}

/** Returns what a message contains, as a list: its parts, or its text. */
function partsOf({ content, parts, output }: Json): unknown[] {
  const value = content ?? parts ?? output ?? [];
  return Array.isArray(value) ? value : [value];
}

/** Writes the messages of one request. The five protocols differ in the names of the members, not in their structure. */
class RequestText {
  /** Names of the tools by the ids of their calls, which results refer to. */
  readonly #tools = new Map<unknown, string>();

  message(item: Json): string[] {
    const role = textOrNull(item.role) ?? "user";
    const isResult = role === "tool" || (textOrNull(item.type)?.endsWith("_output") ?? false);
    // An item of OpenAI Responses without a role is a part itself.
    const isPart = item.role === undefined && item.type !== undefined && item.type !== "message";
    const parts = isResult || isPart ? [item] : partsOf(item);
    return [...parts, ...objectsOf(item.tool_calls)].map((part) => clip(this.#part(part, role)));
  }

  #part(part: unknown, role: string): string {
    const json = asObject(part);
    const call = asObject(json.function ?? json.functionCall ?? json);
    const input = call.arguments ?? call.args ?? call.input;
    const text = typeof part === "string" ? part : textOrNull(json.text);
    if (text !== null) return `[${role}] ${text}`;
    if (typeof call.name === "string" && input !== undefined) {
      this.#tools.set(json.call_id ?? json.id ?? call.id, call.name);
      return `[calls ${call.name}] ${jsonText(input)}`;
    }
    const result = json.functionResponse ? asObject(json.functionResponse) : json;
    const id = result.tool_use_id ?? result.tool_call_id ?? result.call_id;
    const name = result.name ?? result.tool_name ?? this.#tools.get(id) ?? id;
    if (name === undefined) return `[${textOrNull(json.type) ?? role}] ${JSON.stringify(part)}`;
    return `[result ${name}] ${this.#resultText(result)}`;
  }

  #resultText(result: Json): string {
    if (result.response !== undefined) return JSON.stringify(result.response);
    return partsOf(result)
      .map((part) => textOrNull(asObject(part).text) ?? jsonText(part))
      .join("\n");
  }
}

/**
 * Returns what a stored request adds to its conversation: texts, tool calls and what tools returned. A request without a
 * conversation is returned as JSON.
 */
function requestText(provider: Provider, { body }: Pick<Cassette["request"], "body">): string {
  const json = objectOf(body);
  if (!json) return body === null ? "" : clip("s" in body ? body.s : JSON.stringify(body));
  const history = json[provider.historyField.slice(1)];
  if (typeof history === "string") return clip(`[user] ${history}`);
  if (!Array.isArray(history)) return shortJson(json);
  const text = new RequestText();
  return objectsOf(history)
    .flatMap((item) => text.message(item))
    .join("\n");
}

/** Returns the messages of a recorded WebSocket in their order; null if it is none. Those of a type in a row are counted. */
function sessionText({ cassette: { request }, chunks }: VerifiedCassette): string | null {
  const sent = messagesOf(request);
  if (!sent) return null;
  const received = readSteps(chunks).map(({ after, data, close }) => {
    const text = close
      ? `closes with ${close.code} ${close.reason}`
      : typeof data === "string"
        ? data
        : `${data.length} bytes`;
    return { after, from: "server", text };
  });
  const asked = sent.map((message, index) => {
    const text = "json" in message ? JSON.stringify(message.json) : "s" in message ? message.s : "bytes";
    return { after: index, from: "client", text };
  });
  const lines: { line: string; kind: string; count: number }[] = [];
  // What the server did after as many messages as one of the client follows is before that.
  for (const { from, text } of [...received, ...asked].sort((a, b) => a.after - b.after)) {
    const [, type = ""] = /^\{(?:"event_id":"[^"]*",)?"type":"([^"]+)"/.exec(text) ?? [];
    const kind = `[${from}] ${type}`;
    const last = lines.at(-1);
    if (type !== "" && last?.kind === kind) last.count += 1;
    else lines.push({ line: `[${from}] ${clip(text)}`, kind, count: 1 });
  }
  return lines.map(({ line, kind, count }) => (count === 1 ? line : `${kind} (${count} messages)`)).join("\n");
}

function partText(part: AnswerPart): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "thinking":
      return `[thinking] ${part.isRedacted ? "encrypted by the provider" : part.text.trim()}`;
    case "refusal":
      return `[refusal] ${part.text}`;
    case "tool":
      return `[calls ${part.name}] ${part.input}`;
    case "result":
      return `[result ${part.name}] ${JSON.stringify(part.content)}`;
  }
}

/** Returns an answer for the terminal: its parts, then the error that ended it. */
export function answerText(parts: readonly AnswerPart[], error: Record<string, unknown> | null): string {
  const texts: string[] = [];
  let last: AnswerPart["kind"] | undefined;
  for (const part of parts) {
    // A text with citations is divided into several parts.
    if (part.kind === "text" && last === "text") texts.push(`${texts.pop()}${part.text}`);
    else texts.push(partText(part));
    last = part.kind;
  }
  return [...texts, ...(error ? [`[error] ${JSON.stringify(error)}`] : [])].join("\n\n");
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`;
}

/** Returns the counts of a provider's usage, under the provider's names. */
export function usageText(usage: Record<string, unknown>): string {
  return Object.entries(usage)
    .flatMap(([name, count]) => (typeof count === "number" ? [`${name} ${count}`] : []))
    .join(", ");
}

/** Returns the model that an answer names, after the name in the request where the catalogue does not know that. */
export function modelText(provider: Provider, request: TapeRequest, answered: string): string {
  const asked = modelOf(provider, request);
  const isSame = asked === null || asked === answered || isKnownModel({ model: asked, host: request.host });
  return isSame ? answered : answered === "unknown" ? asked : `${asked} (${answered})`;
}

function summaryText(verified: VerifiedCassette): string {
  const { cassette, chunks } = verified;
  const summary = describeCassette(verified);
  const { provenance, parentId } = summary;
  const { request } = cassette;
  const provider = requireProvider(summary.provider);
  const recorded = readRecordedAnswer(provider, { headers: cassette.response.headers, chunks });
  const { answer, error } = recorded;
  const rows = [
    ["Title", summary.title],
    ["Subtitle", summary.subtitle],
    [
      "Provenance",
      `${provenance.kind}, timing ${provenance.timing}, ${recordedAtOf(provenance)?.replace("T00:00:00Z", "") ?? "date unknown"}`,
    ],
    ...(provenance.source.address === undefined
      ? []
      : [["Asked", `${provenance.source.address} in place of ${provenance.source.base_url}`]]),
    ...(provenance.edited === undefined ? [] : [["Edited", provenance.edited]]),
    ["Provider", provider.operationOf(request) === "generate" ? provider.title : (request.host ?? provider.title)],
    ["Model", modelText(provider, request, summary.model)],
    ["Request", `${request.method} ${request.path}`],
    ...Object.entries(request.headers ?? {}),
    ["Status", `${summary.status}, ends ${summary.end}`],
    ["Body", `${formatCount(summary.byteSize, "byte")} in ${formatCount(summary.chunkCount, "chunk")}`],
    ["Time", `${seconds(summary.durationMs)}, first chunk after ${seconds(chunks[0]?.deltaMs ?? 0)}`],
    ["Usage", usageText(summary.usage) || "none reported"],
    ...(parentId === null ? [] : [["Continues", parentId]]),
    ["Redactions", String(request.redactions.length)],
    ["SHA-256", cassette.integrity.body_sha256],
  ];
  const head = rows.map(([name, value]) => `${String(name).padEnd(11)} ${value}`).join("\n");
  const session = sessionText(verified);
  if (session !== null) return `${summary.id}\n${head}\n\nMessages\n${session}\n`;
  const parts = answerText(answer?.parts ?? [], error) || otherText(recorded, verified);
  return `${summary.id}\n${head}\n\nRequest\n${requestText(provider, request)}\n\nAnswer\n${parts}\n`;
}

/** Prints a cassette: its provenance, the messages of its request and its answer; or its events with their times; or all of it as JSON. */
export function showCassette(
  verified: VerifiedCassette,
  { json, events }: { json?: boolean | undefined; events?: boolean | undefined },
  io: CommandIo,
): void {
  const { cassette, chunks } = verified;
  const { headers } = cassette.response;
  const recorded = readRecordedAnswer(requireProvider(cassette.provider), { headers, chunks });
  if (json) {
    const { body: message, error, isEnded: stopped } = recorded;
    writeJson(io, events ? { events: recorded.events } : { ...cassette, message, error, stopped });
  } else if (events) {
    for (const { atMs, event, data } of recorded.events) {
      io.stdout.write(`${seconds(atMs).padStart(10)}  ${event.padEnd(20)}  ${data}\n`);
    }
  } else io.stdout.write(printableLines(summaryText(verified)));
}
