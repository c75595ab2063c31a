import type { PublicReport } from "#lib/tracking/intelligence/index";
import { SignificanceBadge } from "../../_components/badge";
import { CodeBlock } from "../../_components/code-block";
import { Link } from "../../_components/link";
import { Notice } from "../../_components/notice";
import { RelativeTime } from "../../_components/relative-time";
import styles from "./latest-report.module.css";

type Props = { report: PublicReport | null; slug: string; origin: string; now: Date };

/** The newest report in words, and where whole reports come from. */
export function LatestReport({ report, slug, origin, now }: Props) {
  const command = `curl -H "Authorization: Bearer $KEY" "${origin}/api/v1/intelligence?vendor=${slug}"`;
  return (
    <>
      {report ? (
        <div className={styles.report}>
          <p className={styles.facts}>
            <SignificanceBadge significance={report.significance} />
            <RelativeTime at={report.at} now={now} />
            {report.diffId && <Link href={`/vendors/${slug}/diffs/${report.diffId}`}>The change</Link>}
          </p>
          <p className={styles.summary}>{report.summary}</p>
        </div>
      ) : (
        <Notice tone="empty">
          <p>
            No report yet. The job <code>analyze-changes</code> writes one after a change.
          </p>
        </Notice>
      )}
      <div className={styles.more}>
        <p>
          All reports, with categories, sections and quotes, come from the API with a{" "}
          <Link href="/pricing">starter key</Link>:
        </p>
        <CodeBlock code={command} label="command for the reports" wrap />
      </div>
    </>
  );
}
