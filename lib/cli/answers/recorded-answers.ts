import type { ModelCatalogue } from "#lib/models/index";
import { modelOf, Tape } from "#lib/replay/recording-proxy/index";
import {
  type AnswerPair,
  type AnswerSummary,
  beginningOf,
  costText,
  modelsText,
  summarizeAnswer,
} from "./answer-summary";

export type RecordedAnswer = { test: string; file: string; answer: AnswerSummary };

/** Returns the answers on a tape below a folder, in order. Throws TapeError. */
export async function readAnswers(folder: string, root: string, catalogue: ModelCatalogue): Promise<RecordedAnswer[]> {
  const tape = await Tape.open({ root, folder }, null);
  const found: RecordedAnswer[] = [];
  for (const exchange of tape.exchanges) {
    const { cassette, chunks } = await tape.readAnswer(exchange);
    const { provider, request, file } = exchange;
    const named = { model: modelOf(provider, request), host: request.host };
    const answer = summarizeAnswer(provider, { ...cassette.response, chunks }, named, catalogue);
    found.push({ test: tape.test, file, answer });
  }
  return found;
}

/** Returns the answers of two recordings of a tape by their position. */
export function pairAnswers(before: readonly RecordedAnswer[], after: readonly RecordedAnswer[]): AnswerPair[] {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => {
    const [old, fresh] = [before[index], after[index]];
    const { test = "", file = "" } = fresh ?? old ?? {};
    return { test, file, before: old?.answer ?? null, after: fresh?.answer ?? null };
  });
}

/** Returns both answers of each pair, with tokens and costs, as lines for a terminal; `more` are further lines of a pair. */
export function pairLines(pairs: readonly AnswerPair[], more: (pair: AnswerPair) => string[] = () => []): string[] {
  let last = "";
  return pairs.flatMap((pair) => {
    const { test, file, before, after } = pair;
    const heading = test === last ? [] : [test];
    last = test;
    const isSame = before !== null && before.text === after?.text;
    const line = (name: string, answer: AnswerSummary | null, text: string) =>
      `    ${name}  ${[text, answer && costText(answer)].filter(Boolean).join("  ")}`;
    return [
      ...heading,
      `  ${file}  ${modelsText(pair)}`,
      line("old", before, beginningOf(before)),
      line("new", after, isSame ? "the same" : beginningOf(after)),
      ...more(pair).map((text) => `    ${text}`),
    ];
  });
}

/** Returns both answers of each pair as rows of a table: test, file, models, answers, tokens and cost. */
export function pairRows(pairs: readonly AnswerPair[]): string[][] {
  return pairs.map((pair) => {
    const { test, file, before, after } = pair;
    const both = (text: (answer: AnswerSummary) => string) =>
      [before, after].map((answer) => (answer === null ? "none" : text(answer))).join(" → ");
    return [test, file, modelsText(pair), both(beginningOf), both(costText)];
  });
}

export const pairColumns = ["Test", "File", "Model", "Answer", "Tokens and cost"];
