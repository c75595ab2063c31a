import { isDeepStrictEqual } from "node:util";
import { parse, stringify } from "yaml";
import * as z from "zod";
import { describeIssue } from "#lib/platform/describe-issue";
import { type AnswerPart, framingOf, type Provider, requireProvider } from "#lib/replay/providers/index";
import { jsonOrText } from "./encoding";
import type { Cassette } from "./format";
import { parseCassette, type VerifiedCassette } from "./parse-cassette";
import { type RecordedAnswer, readRecordedAnswer } from "./read-answer";
import { sealCassette, serializeCassette } from "./seal-cassette";

/** The answer cannot be edited, or not like this; the message says why. */
export class EditError extends Error {
  override readonly name = "EditError";
}

const partSchema = z.union(
  [z.strictObject({ text: z.string() }), z.strictObject({ tool: z.string(), input: z.unknown() })],
  { error: "must be `text:` with a text, or `tool:` with its `input:`" },
);
type EditablePart = z.infer<typeof partSchema>;
const answerSchema = z.strictObject({ status: z.literal(200), answer: z.array(partSchema) });
const errorSchema = z.strictObject({ status: z.int().min(400).max(599), error: z.string().min(1) });
/** What of a recording can be edited: its answer in parts, or its error. */
export type Editable = z.infer<typeof answerSchema> | z.infer<typeof errorSchema>;

type Json = Record<string, unknown>;

/** Returns a part in the form that people edit; null for thinking, which is signed, and what the provider's tools did. */
function toEditable(part: AnswerPart): EditablePart | null {
  if (part.kind === "text" || part.kind === "refusal") return { text: part.text };
  return part.kind === "tool" && !part.isServer ? { tool: part.name, input: jsonOrText(part.input) } : null;
}

const editableParts = (parts: readonly AnswerPart[]) => parts.flatMap((part) => toEditable(part) ?? []);

type Read = RecordedAnswer & { provider: Provider };

function readWhole({ cassette, chunks }: VerifiedCassette): Read {
  const provider = requireProvider(cassette.provider);
  const read = readRecordedAnswer(provider, { headers: cassette.response.headers, chunks });
  if (cassette.end === "truncated") throw new EditError("The recording was cut off, so its answer is not whole.");
  if (cassette.response.status < 400 && (read.error || !read.answer || provider.name === "http"))
    throw new EditError("The recording has no answer of a model's text or tool calls.");
  return { ...read, provider };
}

/** Returns the members of a recording that can be edited. Throws EditError. */
export function readEditable(verified: VerifiedCassette): Editable {
  const { status } = verified.cassette.response;
  const { answer, body, error } = readWhole(verified);
  if (status < 400) return { status: 200, answer: editableParts(answer?.parts ?? []) };
  const told = (error ?? body)?.error;
  const { message = told } = (told ?? {}) as { message?: unknown };
  return { status, error: typeof message === "string" && message !== "" ? message : `Status ${status}` };
}

/** Returns the text of a file to edit: YAML with a comment that says what can be changed. */
export function editableText(editable: Editable): string {
  const hint =
    "Change texts, inputs of tools or the status (400 to 599 with `error:` instead of `answer:`), and save.\nIds, usage, thinking and times stay.";
  return `${hint.replace(/^/gm, "# ")}\n${stringify(editable, { lineWidth: 0, blockQuote: "literal" })}`;
}

/** Reads what was edited, as YAML. Throws EditError. */
export function parseEditable(text: string): Editable {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new EditError(`What was edited is not valid YAML: ${(error as Error).message.split("\n")[0]}`);
  }
  const isError = typeof value === "object" && value !== null && "error" in value;
  const result = (isError ? errorSchema : answerSchema).safeParse(value);
  if (result.success) return result.data;
  throw new EditError(`What was edited is not valid: ${describeIssue(result.error, "the text")}.`);
}

/** Replaces the first value that is `before`, wherever it is; false if there is none. A string may hold it as JSON. */
function replaceFirst(value: unknown, before: unknown, after: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const object = value as Json;
  for (const [name, member] of Object.entries(object)) {
    const isText = typeof member === "string" && typeof before !== "string";
    if (isDeepStrictEqual(isText ? jsonOrText(member) : member, before)) {
      object[name] = isText ? JSON.stringify(after) : after;
      return true;
    }
    if (replaceFirst(member, before, after)) return true;
  }
  return false;
}

/** Returns the body of an answer with other parts. Throws EditError if they are of other kinds. */
function replaceParts(body: Json, before: readonly EditablePart[], after: readonly EditablePart[]): Json {
  const kindsOf = (parts: readonly EditablePart[]) => parts.map((part) => ("tool" in part ? part.tool : "text"));
  if (!isDeepStrictEqual(kindsOf(before), kindsOf(after)))
    throw new EditError(`The parts of the answer must stay: ${kindsOf(before).join(", ") || "none"}.`);
  const edited = structuredClone(body);
  const contentOf = (part: EditablePart) => ("tool" in part ? part.input : part.text);
  for (const [index, part] of before.entries()) {
    const next = contentOf(after[index] as EditablePart);
    if (isDeepStrictEqual(contentOf(part), next)) continue;
    if (!replaceFirst(edited, contentOf(part), next))
      throw new EditError(`Part ${index + 1} is divided in the recording, and cannot be edited.`);
  }
  return edited;
}

/** Returns a function that divides each text of an answer into as many pieces as it had in the recording. */
function splitAs({ events, provider }: Read): (text: string) => string[] {
  const counts: number[] = [];
  let previous = "";
  for (const { json } of events) {
    for (const { kind, name } of json ? provider.readDeltas(json) : []) {
      if (kind === previous && name === undefined) counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1;
      else counts.push(1);
      previous = kind;
    }
  }
  let next = 0;
  return (text) => {
    // Providers also ask for texts that an answer does not have.
    const count = text === "" ? 1 : (counts[next++] ?? 1);
    const characters = [...text];
    const size = Math.max(1, Math.ceil(characters.length / count));
    const starts = Array.from({ length: Math.ceil(characters.length / size) }, (_, index) => index * size);
    return starts.map((start) => characters.slice(start, start + size).join(""));
  };
}

/** Returns events at the times of the recorded ones: each at that of the event at the same share of the stream. */
function withOldTimes(texts: readonly string[], { events }: Read) {
  const last = events.length - 1;
  let atMs = 0;
  return texts.map((text, index) => {
    const share = texts.length > 1 ? index / (texts.length - 1) : 1;
    const dueMs = events[Math.round(share * last)]?.atMs ?? 0;
    const deltaMs = dueMs - atMs;
    atMs = dueMs;
    return { deltaMs, bytes: Buffer.from(text) };
  });
}

/** Returns a recording with another answer, sealed again: its provider's events at their old times. Throws EditError. */
export function editCassette(verified: VerifiedCassette, edited: Editable, now: Date): Cassette {
  const { cassette, durationMs } = verified;
  const read = readWhole(verified);
  const { provider } = read;
  const { request, response, provenance } = cassette;
  const { sha256: _computed, ...rest } = request;
  const { "content-length": _ofRecording, ...headers } = response.headers;
  const draft = { ...cassette, provider, request: rest, provenance: { ...provenance, edited: now.toISOString() } };
  const whole = (body: Json, status: number, end: Cassette["end"]) =>
    sealCassette({
      ...draft,
      response: { status, headers: { ...headers, "content-type": "application/json" } },
      chunks: [{ deltaMs: durationMs, bytes: Buffer.from(JSON.stringify(body)) }],
      end,
    });
  if ("error" in edited) {
    const requestId = response.headers[provider.requestIdHeader] ?? "req_edited";
    return whole(
      provider.errorBody({ status: edited.status, message: edited.error, requestId }),
      edited.status,
      "error",
    );
  }
  if (!read.body || !read.answer)
    throw new EditError("The recording is an error, which has no answer. Edit its error.");
  const body = replaceParts(read.body, editableParts(read.answer.parts), edited.answer);
  if (!isDeepStrictEqual(editableParts(provider.readAnswer(body).parts), edited.answer))
    throw new EditError("This answer cannot be edited: its provider's form would say something else.");
  if (framingOf(response.headers["content-type"]) === "json") return whole(body, response.status, cassette.end);
  const { events } = provider.unfold(body, splitAs(read));
  return sealCassette({
    ...draft,
    response: { status: response.status, headers },
    chunks: withOldTimes(events, read),
    end: cassette.end,
  });
}

/** Returns the file of a recording as somebody edited its text; null if nothing was changed. Throws EditError. */
export function editedFile(verified: VerifiedCassette, text: string, now: Date): Buffer | null {
  const edited = parseEditable(text);
  if (isDeepStrictEqual(edited, readEditable(verified))) return null;
  const bytes = Buffer.from(serializeCassette(editCassette(verified, edited, now)));
  parseCassette(bytes);
  return bytes;
}
