import type { ModelCatalogue, ModelStatus } from "#lib/models/index";
import { formatCount } from "#lib/platform/format-count";
import type { Tokens } from "#lib/replay/providers/index";
import { addUses, type ModelUse, type SessionReport } from "#lib/replay/recording-proxy/index";
import { endText, nameText, shorten, successorName } from "../audit/audit-text";
import { type Finding, findModels, isEnding, isGone, modelOfCall, shareAnswers } from "../audit/findings";
import { costOf, moneyText, tokensText } from "./costs";

/** Calls of one kind. */
export type Spending = Tokens & {
  calls: number;
  /** Calls whose answers report no usage. */
  unmetered: number;
  /** In USD, of the calls whose price is known. */
  usd: number;
  /** Models without a known price, each with its calls that report usage. */
  unpriced: { model: string; calls: number }[];
};

/** `end`: when it ends, and what replaces it; `isOpen`: it is active, and may end at any time. */
export type RunModel = {
  name: string;
  status: ModelStatus;
  end: string;
  isOpen: boolean;
  played: Spending;
  recorded: Spending;
};

/** What a run's calls came to. `models`: first those that have ended, then those that end first. */
export type RunModels = { played: Spending; recorded: Spending; models: RunModel[] };

function spendingOf(uses: readonly ModelUse[], catalogue: ModelCatalogue): Spending {
  const sum: Spending = {
    ...{ input: 0, output: 0, cache_read: 0, cache_write: 0 },
    ...{ calls: 0, unmetered: 0, usd: 0, unpriced: [] },
  };
  for (const use of uses) {
    for (const name of ["input", "output", "cache_read", "cache_write", "calls", "unmetered"] as const)
      sum[name] += use[name];
    const usd = costOf(use, modelOfCall(use, catalogue));
    const metered = use.calls - use.unmetered;
    if (usd !== null) sum.usd += usd;
    else if (metered > 0) sum.unpriced.push({ model: use.model, calls: metered });
  }
  return sum;
}

/** Returns the model of a finding, and what requests call it if only the answer names it. */
function runName(finding: Finding): string {
  const own = finding.names.flatMap((name) => /^(.+) \(.+\)$/.exec(name)?.[1] ?? []);
  return own.length > 0 ? `${nameText(finding)} (${shorten(own)})` : nameText(finding);
}

/** Returns what the calls of a run came to, by model. */
export function summarizeModels(reports: readonly SessionReport[], catalogue: ModelCatalogue, now: Date): RunModels {
  const uses = shareAnswers(addUses(reports.flatMap(({ models }) => models)));
  const calls = uses.map((use) => ({
    ...use,
    ...{ test: "", file: "", deprecation: null, sunset: null, asksModel: true, isGone: use.gone === use.calls },
  }));
  const { models } = findModels({ calls, code: [] }, catalogue, now);
  const isOf = ({ provider, id, names }: Finding, use: ModelUse) => {
    const known = modelOfCall(use, catalogue);
    return known ? known.provider === provider && known.id === id : provider === null && names.includes(use.model);
  };
  const spending = (list: readonly ModelUse[], isPlayed: boolean) =>
    spendingOf(
      list.filter((use) => use.isPlayed === isPlayed),
      catalogue,
    );
  const both = (list: readonly ModelUse[]) => ({ played: spending(list, true), recorded: spending(list, false) });
  return {
    ...both(uses),
    models: models.map((finding) => ({
      name: runName(finding),
      status: finding.status,
      isOpen: finding.status === "active" && finding.may_end && !isGone(finding),
      end: [endText(finding), isEnding(finding) ? successorName(finding) : ""].filter(Boolean).join(" "),
      ...both(uses.filter((use) => isOf(finding, use))),
    })),
  };
}

/** Returns tokens and money, and what is not known of both; `nothing` without calls. */
export function spendingText(spending: Spending): string {
  const { calls, unmetered, usd, unpriced } = spending;
  if (calls === 0) return "nothing";
  const counts = new Map<string, number>();
  for (const { model, calls: each } of unpriced) counts.set(model, (counts.get(model) ?? 0) + each);
  const names = [...counts].map(([model, each]) => `${model} (${formatCount(each, "call")})`);
  const isPriced = calls > unmetered + unpriced.reduce((sum, { calls: each }) => sum + each, 0);
  const parts = [
    ...(calls > unmetered ? [tokensText(spending)] : []),
    ...(isPriced ? [moneyText(usd)] : []),
    ...(names.length > 0 ? [`price not known of ${shorten(names)}`] : []),
    ...(unmetered > 0 ? [`${formatCount(unmetered, "call")} without recorded usage`] : []),
  ];
  return parts.join("; ");
}
