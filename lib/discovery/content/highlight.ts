import { LRUCache } from "lru-cache";
import type { HighlighterCore } from "shiki/core";
import { processSingleton } from "#lib/platform/process-singleton";

/** The kind of a token; each kind has a colour, except `plain`. */
type TokenKind = "plain" | "keyword" | "string" | "constant" | "comment" | "function" | "prompt" | "output";
export type CodeToken = { text: string; kind: TokenKind };

/** Longest code and longest line that are highlighted, in characters. */
const maxHighlightedLength = 50_000;
const maxLineLength = 5_000;
const themeName = "kinds";

/** Grammars by the language names of code fences. Other languages stay plain. */
const grammars: Readonly<Record<string, string>> = {
  bash: "bash",
  sh: "bash",
  console: "console",
  json: "json",
  yaml: "yaml",
  http: "http",
  diff: "diff",
  typescript: "typescript",
  ts: "typescript",
  javascript: "typescript",
  js: "typescript",
  python: "python",
  go: "go",
};

/** Token kinds by the theme's variables; punctuation, parameters and unquoted strings stay plain. */
const kinds: Readonly<Record<string, TokenKind>> = {
  "var(--kind-token-keyword)": "keyword",
  "var(--kind-token-string-expression)": "string",
  "var(--kind-token-constant)": "constant",
  "var(--kind-token-comment)": "comment",
  "var(--kind-token-function)": "function",
  "var(--kind-token-inserted)": "string",
  "var(--kind-token-deleted)": "constant",
};

async function loadHighlighter(): Promise<HighlighterCore> {
  const [{ createCssVariablesTheme, createHighlighterCore }, { createJavaScriptRegexEngine }] = await Promise.all([
    import("shiki/core"),
    import("shiki/engine/javascript"),
  ]);
  return createHighlighterCore({
    themes: [createCssVariablesTheme({ name: themeName, variablePrefix: "--kind-" })],
    langs: [
      import("shiki/langs/bash.mjs"),
      import("shiki/langs/json.mjs"),
      import("shiki/langs/yaml.mjs"),
      import("shiki/langs/http.mjs"),
      import("shiki/langs/diff.mjs"),
      import("shiki/langs/typescript.mjs"),
      import("shiki/langs/python.mjs"),
      import("shiki/langs/go.mjs"),
    ],
    engine: createJavaScriptRegexEngine(),
  });
}

/** Loads the highlighter on first use, once per process, because it takes most of a second. */
function highlighter(): Promise<HighlighterCore> {
  return processSingleton("highlighter", loadHighlighter);
}

/** Merges adjacent tokens of the same kind. */
function merge(tokens: readonly CodeToken[]): CodeToken[] {
  const merged: CodeToken[] = [];
  for (const { text, kind } of tokens) {
    const last = merged.at(-1);
    const joins = last !== undefined && (last.kind === kind || (last.kind === "plain" && text.trim() === ""));
    if (joins) last.text += text;
    else if (text !== "") merged.push({ text, kind });
  }
  return merged;
}

function tokenise(highlighter: HighlighterCore, code: string, grammar: string): CodeToken[] {
  // No time limit: the first line of a language is slow, and would be left incomplete on a busy machine.
  const options = { lang: grammar, theme: themeName, tokenizeTimeLimit: 0, tokenizeMaxLineLength: maxLineLength };
  const lines = highlighter.codeToTokensBase(code, options);
  return lines.flatMap((line, index) => [
    ...(index > 0 ? [{ text: "\n", kind: "plain" as const }] : []),
    ...line.map(({ content, color = "" }) => ({ text: content, kind: kinds[color] ?? ("plain" as const) })),
  ]);
}

type ConsoleLine = { isCommand: boolean; prompt: string; text: string };

/** Splits a terminal session: lines after `$ `, and their continuations after a backslash, are commands; others output. */
function consoleLines(code: string): ConsoleLine[] {
  let continues = false;
  return code.split("\n").map((line) => {
    const prompt = !continues && line.startsWith("$ ") ? "$ " : "";
    const isCommand = continues || prompt !== "";
    continues = isCommand && line.endsWith("\\");
    return { isCommand, prompt, text: line.slice(prompt.length) };
  });
}

function tokeniseConsole(highlighter: HighlighterCore, code: string): CodeToken[] {
  return consoleLines(code).flatMap(({ isCommand, prompt, text }, index) => [
    { text: `${index > 0 ? "\n" : ""}${prompt}`, kind: "prompt" },
    ...(isCommand ? tokenise(highlighter, text, "bash") : [{ text, kind: "output" as const }]),
  ]);
}

/** Highlighted code of the last pages: a page of the API reference has fifty blocks. */
function highlighted(): LRUCache<string, readonly CodeToken[]> {
  return processSingleton(
    "highlighted-code",
    () => new LRUCache<string, readonly CodeToken[]>({ maxSize: 2_000_000, sizeCalculation: (_, key) => key.length }),
  );
}

/** Splits code into tokens that join to the code. Code that is too long or in an unknown language stays plain. */
export async function highlightCode(code: string, language: string): Promise<readonly CodeToken[]> {
  const grammar = Object.hasOwn(grammars, language) ? grammars[language] : undefined;
  if (grammar === undefined || code.length > maxHighlightedLength) return [{ text: code, kind: "plain" }];
  const known = highlighted().get(`${grammar} ${code}`);
  if (known) return known;
  const loaded = await highlighter();
  const tokens = merge(grammar === "console" ? tokeniseConsole(loaded, code) : tokenise(loaded, code, grammar));
  highlighted().set(`${grammar} ${code}`, tokens);
  return tokens;
}

/** Returns what the copy button copies: the commands of a terminal session, else the code. */
export function copiedCode(code: string, language: string): string {
  if (language !== "console") return code;
  const commands = consoleLines(code).filter(({ isCommand }) => isCommand);
  return commands.length > 0 ? commands.map(({ text }) => text).join("\n") : code;
}
