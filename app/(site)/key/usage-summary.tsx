import type { Usage } from "./api-request";
import { formatDateTime } from "./format-date-time";
import styles from "./key.module.css";

export type TierName = { name: string; requestsPerDay: number };

type Props = { keyTail: string; tier: string; usage: Usage; tiers: readonly TierName[] };

function Bar({ share }: { share: number }) {
  return (
    <svg
      aria-hidden="true"
      className={styles.bar}
      viewBox="0 0 100 4"
      width="100%"
      height="6"
      preserveAspectRatio="none"
    >
      <rect className={styles.rest} width="100" height="4" />
      <rect className={styles.used} width={Math.min(100, share * 100)} height="4" />
    </svg>
  );
}

/** The key's tier and today's usage. */
export function UsageSummary({ keyTail, tier, usage, tiers }: Props) {
  const limit = usage?.limit ?? -1;
  const name = tiers.find(({ requestsPerDay }) => requestsPerDay === limit)?.name ?? tier;
  const used = usage ? usage.limit - usage.remaining : 0;
  return (
    <dl className={styles.facts}>
      <dt>Key</dt>
      <dd className="mono">ltf_…{keyTail}</dd>
      <dt>Tier</dt>
      <dd>{name}</dd>
      <dt>Requests</dt>
      <dd>
        {usage ? (
          <>
            {used.toLocaleString("en")} of {usage.limit.toLocaleString("en")} used,{" "}
            {usage.remaining.toLocaleString("en")} left
            <Bar share={used / Math.max(1, usage.limit)} />
          </>
        ) : (
          "unlimited"
        )}
      </dd>
      {usage && (
        <>
          <dt>Resets</dt>
          <dd>{formatDateTime(usage.resetsAt)}</dd>
        </>
      )}
    </dl>
  );
}
