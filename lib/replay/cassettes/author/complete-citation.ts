import { fakeOpaque } from "./fake-opaque";
import { ScriptError } from "./script-error";
import type { Script, ScriptCitation } from "./script-schema";
import type { Random } from "./seeded-random";

type Json = Record<string, unknown>;
type Document = { title: string | null; text: string | null };

function readDocument(block: Json): Document {
  const source = block.source as Json | undefined;
  return {
    title: typeof block.title === "string" ? block.title : null,
    text: source?.type === "text" && typeof source.data === "string" ? source.data : null,
  };
}

function listDocuments(script: Script): Document[] {
  return script.request.messages
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .filter(({ type }) => type === "document")
    .map(readDocument);
}

function findResultTitle(script: Script, url: string): string | undefined {
  return script.blocks
    .flatMap((block) => (block.type === "web_search_tool_result" ? block.results : []))
    .find((result) => result.url === url)?.title;
}

/** Character positions, counted in code points: the wire's indices do not depend on UTF-16. */
function locateText(text: string, cited: string): { start: number; end: number } | null {
  const at = text.indexOf(cited);
  if (at < 0 || text.indexOf(cited, at + 1) >= 0) return null;
  const start = [...text.slice(0, at)].length;
  return { start, end: start + [...cited].length };
}

/** Adds to a script's citation what the wire carries beside it: title, place, opaque index. Throws ScriptError. */
export function completeCitation(
  citation: ScriptCitation,
  { script, id, field, random }: { script: Script; id: string; field: string; random: Random },
): Json {
  const { type, cited_text } = citation;
  if (citation.type === "web_search_result_location") {
    const title = findResultTitle(script, citation.url);
    if (title === undefined)
      throw new ScriptError(id, `${field}.url`, `${citation.url} is not among the search results`);
    return { type, cited_text, url: citation.url, title, encrypted_index: fakeOpaque(48, random) };
  }
  const { document_index } = citation;
  const document = listDocuments(script)[document_index];
  if (!document) throw new ScriptError(id, `${field}.document_index`, `the request has no document ${document_index}`);
  const common = { type, cited_text, document_index, document_title: document.title };
  if (citation.type === "page_location") {
    const { start_page_number, end_page_number } = citation;
    return { ...common, start_page_number, end_page_number, file_id: null };
  }
  const place = document.text === null ? null : locateText(document.text, cited_text);
  if (!place) throw new ScriptError(id, `${field}.cited_text`, `must occur exactly once in document ${document_index}`);
  return { ...common, start_char_index: place.start, end_char_index: place.end, file_id: null };
}
