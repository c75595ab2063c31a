import type { Usage } from "./ask-api";
import styles from "./key.module.css";
import type { TierName } from "./key-desk";
import { momentText } from "./moment-text";

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

/** Tier and usage of the day. */
export function UsageFacts({ keyTail, tier, usage, tiers }: Props) {
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
          "not limited"
        )}
      </dd>
      {usage && (
        <>
          <dt>Begins anew</dt>
          <dd>{momentText(usage.resetsAt)}</dd>
        </>
      )}
    </dl>
  );
}
