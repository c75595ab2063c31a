import { blockedScore } from "#lib/contract/blocked-content";
import { formatCount } from "#lib/platform/format-count";
import { nameFinding } from "#lib/tracking/security/index";
import type { VendorPage } from "#lib/tracking/vendors/index";
import { SecurityBadge } from "../../_components/badge";
import { Link } from "../../_components/link";

type Finding = VendorPage["findings"][number];

/** Findings of one detector: their lines, and the highest points of any of them. */
type Group = { detector: string; points: number; lines: number[] };

/** Maximum number of lines listed per detector; the rest is counted. */
const maxNamedLineCount = 5;

function groupByDetector(findings: readonly Finding[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { detector, points, line } of findings) {
    const group = groups.get(detector) ?? { detector, points, lines: [] };
    groups.set(detector, group);
    if (!group.lines.includes(line)) group.lines.push(line);
  }
  return [...groups.values()];
}

function describeLines({ lines }: Group): string {
  const named = lines.slice(0, maxNamedLineCount).join(", ");
  const more = lines.length - maxNamedLineCount;
  return `line${lines.length === 1 ? "" : "s"} ${named}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The security findings in the latest version. The matching texts themselves are not shown. */
export function SecurityFindings({ score, findings }: { score: number; findings: readonly Finding[] }) {
  return (
    <>
      <p>
        <SecurityBadge score={score} />{" "}
        {score >= blockedScore
          ? "The sandboxed content is blocked: this text seems to contain instructions for models."
          : "Agents can read the sandboxed content. The score is a filter, not a guarantee."}{" "}
        <Link href="/docs/security-score">How scoring works</Link>
      </p>
      {findings.length === 0 ? (
        <p className="muted">No findings.</p>
      ) : (
        <ul>
          {groupByDetector(findings).map((group) => (
            <li key={group.detector}>
              {nameFinding(group.detector)}{" "}
              <span className="muted">
                {describeLines(group)}, {group.points === 0 ? "no points" : formatCount(group.points, "point")}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
