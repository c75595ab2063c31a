import { type Cassette, objectOf } from "#lib/replay/cassettes/index";
import { asObject, jsonText, objectsOf, type Provider, textOrNull } from "#lib/replay/providers/index";

type Json = Record<string, unknown>;

/** Longest text that is shown of one part of a message, in characters. */
const maxPartLength = 4_000;

function clip(text: string): string {
  if (text.length <= maxPartLength) return text;
  return `${text.slice(0, maxPartLength)}… (${text.length - maxPartLength} more characters; --json prints them)`;
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
export function requestText(provider: Provider, { body }: Pick<Cassette["request"], "body">): string {
  const json = objectOf(body);
  if (!json) return body === null ? "" : clip("s" in body ? body.s : JSON.stringify(body));
  const history = json[provider.historyField.slice(1)];
  if (typeof history === "string") return clip(`[user] ${history}`);
  if (!Array.isArray(history)) return clip(JSON.stringify(json, null, 2));
  const text = new RequestText();
  return objectsOf(history)
    .flatMap((item) => text.message(item))
    .join("\n");
}
