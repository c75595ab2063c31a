import { blockedScore } from "#lib/contract/blocked-content";
import { type Finding, scoreSecurity } from "#lib/tracking/security/index";
import type { LabelledText, RealFile } from "./read-sets";

/** Number of texts of a kind, of those with a scored finding, and of blocked ones. */
export type Tally = { count: number; flagged: number; blocked: number };

export type SetTally = Tally & { set: string; group: string; isInjection: boolean };

/** Number of injections, benign texts and real files in which a detector has a finding. */
export type DetectorTally = {
  family: string;
  detector: string;
  points: number;
  injections: number;
  benign: number;
  real: number;
};

export type Measured = {
  sets: SetTally[];
  detectors: DetectorTally[];
  real: Tally & { byScore: number[] };
  /** Scored findings in benign texts and real files, for review. */
  falsePositives: { where: string; score: number; findings: Finding[] }[];
};

type Scored = { score: number; findings: Finding[] };

function tallyDetectors(
  tallies: Map<string, DetectorTally>,
  findings: Finding[],
  column: "injections" | "benign" | "real",
) {
  const seen = new Map(findings.map((finding) => [`${finding.detector} ${finding.points}`, finding]));
  for (const [key, { family, detector, points }] of seen) {
    const tally = tallies.get(key) ?? { family, detector, points, injections: 0, benign: 0, real: 0 };
    tally[column]++;
    tallies.set(key, tally);
  }
}

function add(tally: Tally, { score }: Scored): void {
  tally.count++;
  if (score > 0) tally.flagged++;
  if (score >= blockedScore) tally.blocked++;
}

/** Scores all labelled texts and all real files. */
export function measure(labelled: readonly LabelledText[], files: readonly RealFile[]): Measured {
  const sets = new Map<string, SetTally>();
  const detectors = new Map<string, DetectorTally>();
  const falsePositives: Measured["falsePositives"] = [];
  for (const { set, group, text, isInjection } of labelled) {
    const scored = scoreSecurity(text, { domain: "example.com" });
    const key = `${set}/${group}/${isInjection}`;
    const tally = sets.get(key) ?? { set, group, isInjection, count: 0, flagged: 0, blocked: 0 };
    sets.set(key, tally);
    add(tally, scored);
    tallyDetectors(detectors, scored.findings, isInjection ? "injections" : "benign");
    if (!isInjection && scored.score > 0) falsePositives.push({ where: `${set}/${group}`, ...scored });
  }
  const real = { count: 0, flagged: 0, blocked: 0, byScore: [0, 0, 0, 0, 0, 0] };
  for (const { name, domain, text } of files) {
    const scored = scoreSecurity(text, { domain });
    add(real, scored);
    real.byScore[scored.score]!++;
    tallyDetectors(detectors, scored.findings, "real");
    if (scored.score > 0) falsePositives.push({ where: name, ...scored });
  }
  const order = (a: DetectorTally, b: DetectorTally) => a.family.localeCompare(b.family) || b.points - a.points;
  return { sets: [...sets.values()], detectors: [...detectors.values()].sort(order), real, falsePositives };
}
