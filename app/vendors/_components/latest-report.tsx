import type { PublicReport } from "#lib/tracking/intelligence/index";
import { SignificanceBadge } from "../../_components/badge";
import { CodeBlock } from "../../_components/code-block";
import { Link } from "../../_components/link";
import { Notice } from "../../_components/page-parts";
import { RelativeTime } from "../../_components/relative-time";

type Props = { report: PublicReport | null; vendor: { slug: string; isOwn: boolean }; origin: string; now: Date };

/** The summary of the latest report, and how to get complete reports. */
export function LatestReport({ report, vendor: { slug, isOwn }, origin, now }: Props) {
  const command = `curl -H "Authorization: Bearer $KEY" "${origin}/api/v1/intelligence?vendor=${slug}"`;
  return (
    <>
      {report ? (
        <div className="stack tight">
          <p className="row caption">
            <SignificanceBadge significance={report.significance} />
            <RelativeTime at={report.at} now={now} />
            {report.diffId && <Link href={`/vendors/${slug}/diffs/${report.diffId}`}>See the change</Link>}
          </p>
          <p dir="auto" className="text minor">
            {report.summary}
          </p>
        </div>
      ) : (
        <Notice tone="empty">
          No report yet. The job <code>analyze-changes</code> writes one after a change.
        </Notice>
      )}
      <div className="stack tight caption">
        <p>
          To get all reports with categories, sections and quotes, use the API with{" "}
          {isOwn ? (
            "your key"
          ) : (
            <>
              a <Link href="/pricing">starter key</Link>
            </>
          )}
          :
        </p>
        <CodeBlock code={command} label="command for the reports" wrap />
      </div>
    </>
  );
}
