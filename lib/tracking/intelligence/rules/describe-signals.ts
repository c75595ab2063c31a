import { listNames, nameOf } from "./plain-text";
import { amountsOf } from "./prices";
import type { Signal, SignalKind } from "./signals";

/** What a signal is about: the page that its line links to or the row of a table, else the section. */
function subjectOf({ line }: Signal): { page: string } | { section: string } {
  const [link] = line.links;
  if (link?.title && line.text.indexOf(link.title) < 12) return { page: link.title };
  const cell = line.text.trimStart().startsWith("|") ? nameOf(line.text.split("|")[1] ?? "") : "";
  return cell ? { page: cell } : { section: nameOf(line.path.split(" > ").at(-1) ?? "") };
}

/** How a sentence begins; kinds without one are told by the categories alone. */
export const openings: Partial<Record<SignalKind, string>> = {
  advisory: "Carries a security notice",
  breaking: "Announces a breaking change",
  deprecation: "Announces a deprecation or an end",
  access: "Changes what access requires",
  pricing: "Changes prices",
  model: "Announces a model",
  feature: "Announces something new",
  fix: "Tells of a fix",
};

/** What is named after a colon: it is new as such. */
const namedKinds: readonly SignalKind[] = ["model", "feature"];

/** ` for Charges and Refunds`, ` under Pricing`. */
function subjectsText(signals: readonly Signal[]): string {
  const subjects = signals.map(subjectOf);
  const pages = [...new Set(subjects.map((subject) => ("page" in subject ? subject.page : "")))].filter(Boolean);
  const sections = [...new Set(subjects.map((subject) => ("section" in subject ? subject.section : "")))].filter(
    Boolean,
  );
  const parts = [
    ...(pages.length > 0 ? [`for ${listNames(pages)}`] : []),
    ...(sections.length > 0 ? [`under ${listNames(sections)}`] : []),
  ];
  if (pages.length > 0 && namedKinds.includes(signals[0]!.kind)) return `: ${listNames(pages)}`;
  return parts.length > 0 ? ` ${parts.join(" and ")}` : "";
}

/** `€0.20 becomes €0.25`, where a line's amounts changed one by one. */
function priceMove({ kind, line }: Signal): string {
  if (kind !== "pricing" || !line.partner) return "";
  const [old, now] = [amountsOf(line.partner.text), amountsOf(line.text)];
  const moves = now.flatMap((amount, index) => (amount === old[index] ? [] : [`${old[index]} becomes ${amount}`]));
  return old.length === now.length && moves.length > 0 && moves.length <= 3 ? `: ${listNames(moves)}` : "";
}

/** What the words tell, a sentence for each kind. */
export function describeSignals(signals: readonly Signal[]): string[] {
  const groups = new Map<SignalKind, Signal[]>();
  for (const signal of signals) {
    if (signal.isMention) continue;
    const group = groups.get(signal.kind) ?? [];
    if (group.length === 0) groups.set(signal.kind, group);
    group.push(signal);
  }
  return (Object.keys(openings) as SignalKind[]).flatMap((kind) => {
    const group = groups.get(kind);
    if (!group) return [];
    const dates = [...new Set(group.map(({ date }) => date).filter(Boolean))];
    const when = dates.length > 0 ? ` (${listNames(dates, 2)})` : "";
    const move = new Set(group.map(({ line }) => line)).size === 1 ? priceMove(group[0]!) : "";
    return [`${openings[kind]}${subjectsText(group)}${when}${move}.`];
  });
}
