import { describeSignals, openings } from "./describe-signals";
import { describeGains, describeLosses, describeRestructure, hasHeavyLoss } from "./describe-structure";
import { isGrave } from "./judge-significance";
import { counted, listNames } from "./plain-text";
import type { Facts } from "./read-facts";
import type { ReadLine } from "./read-lines";
import { joinSentences } from "./summary-text";

function describeWording({ lines, signals, ...facts }: Facts): string[] {
  const retitled = new Set(facts.links.retitled);
  const told = new Set(signals.filter(({ kind, isMention }) => openings[kind] && !isMention).map(({ line }) => line));
  const isUntold = (line: ReadLine) => !told.has(line) && !retitled.has(line);
  const [reworded, proseAdded] = [facts.reworded.filter(isUntold), facts.proseAdded.filter(isUntold)];
  const { proseRemoved } = facts;
  const sentences: string[] = [];
  const where = (paths: readonly string[]) => {
    const names = [...new Set(paths)].filter(Boolean).map((path) => path.split(" > ").at(-1)!);
    return names.length > 0 ? ` in ${listNames(names)}` : "";
  };
  const pathsOf = (list: Facts["reworded"]) => list.map(({ path }) => path);
  if (reworded.length > 0) sentences.push(`Changes ${counted(reworded.length, "line")}${where(pathsOf(reworded))}.`);
  const count = proseAdded.length;
  if (count > 0) sentences.push(`Adds ${counted(count, "line")} of text${where(pathsOf(proseAdded))}.`);
  if (proseRemoved.length > 0) {
    sentences.push(`Removes ${counted(proseRemoved.length, "line")} of text${where(pathsOf(proseRemoved))}.`);
  }
  if (lines.isCut) sentences.push("The change is too large to be read line by line.");
  return sentences;
}

function describeFormatting({ sections, lines }: Facts, restructure: readonly string[]): string {
  if (restructure.length > 0) return "The content is the same.";
  const isOrder = sections.isReordered || lines.hasMoved;
  return isOrder
    ? "The content is the same in another order."
    : "Only formatting or the order of lines changed; the content is the same.";
}

/** One to three plain sentences, what matters most first. */
export function writeSummary(facts: Facts): string {
  const { signals, sections, isSameContent } = facts;
  const restructure = describeRestructure(facts);
  if (isSameContent) return joinSentences([...restructure, describeFormatting(facts, restructure)]);
  const title = sections.titleChanged && facts.outline.title ? [`The file is now titled ${facts.outline.title}.`] : [];
  const [losses, gains] = [describeLosses(facts), describeGains(facts)];
  const sentences = [
    ...describeSignals(signals.filter(isGrave)),
    ...(hasHeavyLoss(facts) ? losses : gains),
    ...(hasHeavyLoss(facts) ? gains : losses),
    ...describeSignals(signals.filter((signal) => !isGrave(signal))),
    ...restructure,
    ...title,
    ...describeWording(facts),
  ];
  return joinSentences(sentences.length > 0 ? sentences : ["Changes the text in small ways."]);
}
