import type { ReactNode } from "react";
import styles from "./badge.module.css";

const marks = { good: "M5 1a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z", warning: "M2 1h2v8H2ZM6 1h2v8H6Z", bad: "M5 .5 9.8 9H.2Z" };

type BadgeTone = "plain" | "quiet" | keyof typeof marks;

/** A short framed label. The icon's shape shows the tone. */
export function Badge({ tone = "plain", children }: { tone?: BadgeTone; children: ReactNode }) {
  return (
    <span className={tone === "plain" ? styles.badge : `${styles.badge} ${styles[tone]}`}>
      {tone in marks && (
        <svg aria-hidden="true" viewBox="0 0 10 10" width="10" height="10" fill="currentColor">
          <path d={marks[tone as keyof typeof marks]} />
        </svg>
      )}
      {children}
    </span>
  );
}

const statusTones: Record<string, BadgeTone> = {
  active: "good",
  ok: "good",
  completed: "good",
  delivered: "good",
  up: "good",
  complete: "good",
  paused: "warning",
  running: "warning",
  pending: "warning",
  truncated: "warning",
  deprecated: "warning",
  unreachable: "bad",
  retired: "bad",
  failed: "bad",
  dead: "bad",
  down: "bad",
  error: "bad",
};

/** The status of a vendor, job, delivery or cassette. An unknown status has the plain tone. */
export function StatusBadge({ status }: { status: string }) {
  return <Badge tone={statusTones[status] ?? "plain"}>{status}</Badge>;
}

/** The status of a vendor. One that is to be fetched but has no version yet is not known to be active. */
export function VendorStatusBadge({ status, hasVersion }: { status: string; hasVersion: boolean }) {
  if (status === "active" && !hasVersion) return <Badge tone="quiet">Not fetched yet</Badge>;
  return <StatusBadge status={status} />;
}

type LevelProps = { value: number; label: string; danger: number; meaning: string; note?: string };

/** A level as bars and a number. `meaning` is for screen readers; `note` is visible instead. */
function Level({ value, label, danger, meaning, note }: LevelProps) {
  return (
    <span className={`${styles.level} ${value >= danger ? styles.bad : ""}`}>
      <svg aria-hidden="true" viewBox="0 0 24 14" width="24" height="14" stroke="currentColor" strokeWidth="3">
        {[1, 2, 3, 4, 5].map((bar) => (
          <path key={bar} className={bar > value ? styles.empty : ""} d={`M${bar * 5 - 3} 13V${13 - bar * 2.4}`} />
        ))}
      </svg>
      <span className="visually-hidden">{label} </span>
      <span>{value}</span>
      {note ? (
        <span className={`${styles.note} muted`}>{note}</span>
      ) : (
        <span className="visually-hidden"> {meaning}</span>
      )}
    </span>
  );
}

/** The significance of a change, 1 to 5, as a number and bars. */
export function SignificanceBadge({ significance }: { significance: number }) {
  return <Level value={significance} label="Significance" danger={4} meaning="of 5" />;
}

/** A security score, 0 (safe) to 5, as a number and bars. From 3 on the content is blocked. 0 is not a rating: it says so. */
export function SecurityBadge({ score }: { score: number }) {
  const level = { value: score, label: "Security score", danger: 3, meaning: score >= 3 ? "of 5, blocked" : "of 5" };
  return score === 0 ? <Level {...level} note="nothing found" /> : <Level {...level} />;
}
