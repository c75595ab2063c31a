import { blockedScore, nameFinding } from "#lib/tracking/snapshots/index";
import type { VendorPage } from "#lib/tracking/vendors/index";
import { SecurityBadge } from "../../_components/badge";
import { Link } from "../../_components/link";
import { formatCount } from "./format-counts";
import styles from "./security-findings.module.css";

type Finding = VendorPage["findings"][number];

/** Findings of one kind together: where they stand, and the most points that one of them has. */
type Group = { detector: string; points: number; lines: number[] };

/** Lines that are named of each kind; more are formatCount. */
const maxNamedLineCount = 5;

function groupsOf(findings: readonly Finding[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { detector, points, line } of findings) {
    const group = groups.get(detector) ?? { detector, points, lines: [] };
    groups.set(detector, group);
    if (!group.lines.includes(line)) group.lines.push(line);
  }
  return [...groups.values()];
}

function placesOf({ lines }: Group): string {
  const named = lines.slice(0, maxNamedLineCount).join(", ");
  const more = lines.length - maxNamedLineCount;
  return `line${lines.length === 1 ? "" : "s"} ${named}${more > 0 ? ` and ${more} more` : ""}`;
}

/** What the security detectors found in the latest version, in words. The places themselves are not shown. */
export function SecurityFindings({ score, findings }: { score: number; findings: readonly Finding[] }) {
  return (
    <>
      <p className={styles.verdict}>
        <SecurityBadge score={score} />{" "}
        {score >= blockedScore
          ? "The sandboxed content is refused: this text tries to do something to a model that reads it."
          : "The sandboxed content is given out. A score is a filter, not a guarantee."}{" "}
        <Link href="/docs/security-score">How it is scored</Link>
      </p>
      {findings.length === 0 ? (
        <p className="muted">The detectors found nothing.</p>
      ) : (
        <ul className={styles.findings}>
          {groupsOf(findings).map((group) => (
            <li key={group.detector}>
              {nameFinding(group.detector)}{" "}
              <span className="muted">
                {placesOf(group)}, {group.points === 0 ? "no points" : formatCount(group.points, "point")}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
