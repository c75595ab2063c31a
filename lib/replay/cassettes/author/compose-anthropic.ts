import * as z from "zod";
import { anthropic } from "#lib/replay/providers/index";
import {
  authoredId,
  type ComposeInput,
  type Composer,
  fakeOpaque,
  type Json,
  resultText,
  streamReason,
} from "./compose-stream";
import { contentBlocks } from "./estimate-usage";
import type { Script, ScriptCitation } from "./script";
import { ScriptError } from "./script-basics";

type Document = { title: string | null; text: string | null };

function listDocuments(script: Script): Document[] {
  const documents = contentBlocks(script).filter(({ type }) => type === "document");
  return documents.map(({ title, source }) => {
    const { type, data } = (source ?? {}) as Json;
    return {
      title: typeof title === "string" ? title : null,
      text: type === "text" && typeof data === "string" ? data : null,
    };
  });
}

/** Returns the range of a cited text in code points, as the wire counts them; null unless it occurs exactly once. */
function locateText(text: string, cited: string): { start: number; end: number } | null {
  const at = text.indexOf(cited);
  if (at < 0 || text.indexOf(cited, at + 1) >= 0) return null;
  const start = [...text.slice(0, at)].length;
  return { start, end: start + [...cited].length };
}

/** Adds the wire fields of a script's citation: title, position, opaque index. Throws ScriptError. */
function toCitation(citation: ScriptCitation, field: string, { script, id, random }: ComposeInput): Json {
  const { type, cited_text } = citation;
  const fail = (member: string, reason: string) => new ScriptError(id, `${field}.${member}`, reason);
  if (citation.type === "web_search_result_location") {
    const results = script.blocks.flatMap((block) => (block.type === "web_search_tool_result" ? block.results : []));
    const found = results.find(({ url }) => url === citation.url);
    if (!found) throw fail("url", `${citation.url} is not among the search results`);
    return { type, cited_text, url: citation.url, title: found.title, encrypted_index: fakeOpaque(48, random) };
  }
  const { document_index } = citation;
  const document = listDocuments(script)[document_index];
  if (!document) throw fail("document_index", `the request has no document ${document_index}`);
  const common = { type, cited_text, document_index, document_title: document.title };
  if (citation.type === "page_location") {
    const { start_page_number, end_page_number } = citation;
    return { ...common, start_page_number, end_page_number, file_id: null };
  }
  const place = document.text === null ? null : locateText(document.text, cited_text);
  if (!place) throw fail("cited_text", `must occur exactly once in document ${document_index}`);
  return { ...common, start_char_index: place.start, end_char_index: place.end, file_id: null };
}

/** Returns the content of an answer. Throws ScriptError if a citation does not match its source. */
function toContent(input: ComposeInput): Json[] {
  const { script, id, random } = input;
  const caller = { type: "direct" };
  let serverToolId: string | null = null;
  return script.blocks.map((block, index): Json => {
    switch (block.type) {
      case "text": {
        const { type, text, citations } = block;
        if (!citations) return { type, text };
        const field = `blocks.${index}.citations`;
        return { citations: citations.map((each, at) => toCitation(each, `${field}.${at}`, input)), type, text };
      }
      case "thinking":
        return { type: block.type, thinking: block.thinking, signature: fakeOpaque(180, random) };
      case "tool_use": {
        const { type, name, input: given } = block;
        return { type, id: block.id ?? authoredId("toolu_01", 22, random), name, input: given, caller };
      }
      case "server_tool_use": {
        const { type, name, input: given } = block;
        serverToolId = authoredId("srvtoolu_01", 22, random);
        return { type, id: serverToolId, name, input: given, caller };
      }
      case "web_search_tool_result": {
        const content = block.results.map(({ title, url, page_age }) => {
          return { type: "web_search_result", title, url, encrypted_content: fakeOpaque(240, random), page_age };
        });
        return { type: block.type, tool_use_id: serverToolId, content, caller };
      }
      default:
        throw new ScriptError(id, `blocks.${index}`, "Anthropic has no refusal blocks");
    }
  });
}

function toBody(input: ComposeInput): Json {
  const { script, model, usage, random } = input;
  const { stop_reason, stop_sequence = null, stop_details: details } = script.ending;
  return {
    model,
    id: authoredId("msg_01", 22, random),
    type: "message",
    role: "assistant",
    content: toContent(input),
    stop_reason,
    stop_sequence,
    stop_details: details ? { type: "refusal", ...details } : null,
    usage: {
      input_tokens: usage.inputTokens - usage.cachedTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: usage.cachedTokens,
      output_tokens: usage.outputTokens,
      output_tokens_details: { thinking_tokens: usage.thinkingTokens },
      ...(usage.searchCount > 0 && {
        server_tool_use: { web_search_requests: usage.searchCount, web_fetch_requests: 0 },
      }),
    },
  };
}

const messageSchema = z.looseObject({
  role: z.enum(["user", "assistant"]),
  content: z.union([z.string().min(1), z.array(z.looseObject({ type: z.string() })).min(1)]),
});

export const composeAnthropic: Composer = {
  provider: anthropic,
  requestSchema: z.looseObject({
    max_tokens: z.int().positive(),
    messages: z.array(messageSchema).min(1),
    stream: z.literal(true, { error: streamReason }),
    tools: z.array(z.looseObject({ name: z.string().min(1) })).optional(),
    thinking: z.looseObject({ type: z.string() }).optional(),
  }),
  blockTypes: ["text", "thinking", "tool_use", "server_tool_use", "web_search_tool_result"],
  isOneMessage: false,
  stopReasons: {
    end_turn: "end_turn",
    max_tokens: "max_tokens",
    stop_sequence: "stop_sequence",
    tool_use: "tool_use",
    pause_turn: "pause_turn",
    refusal: "refusal",
  },
  limitField: "max_tokens",
  thinkingField: "thinking",
  toBody,
  answerItems: ({ content }) => [{ role: "assistant", content }],
  resultItems: (results) => {
    const content = results.map((result) => {
      return { type: "tool_result", tool_use_id: result.callId, content: resultText(result) };
    });
    return [{ role: "user", content }];
  },
};
