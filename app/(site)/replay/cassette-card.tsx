import type { CassetteSummary, Recording } from "#lib/replay/cassettes/index";
import { requireProvider } from "#lib/replay/providers/index";
import { Badge, StatusBadge } from "../../_components/badge";
import { Link } from "../../_components/link";
import { describeTimeline } from "../../_components/player/cassette-player";
import { formatSeconds } from "../../_components/player/player-timeline";
import { Timeline } from "../../_components/timeline";
import { toTicks } from "../../_components/timeline-ticks";
import styles from "./cassette-card.module.css";

/** A cassette in the gallery, with its timeline. */
export function CassetteCard({ summary, recording }: { summary: CassetteSummary; recording: Recording | undefined }) {
  const { id, title, subtitle, durationMs, chunkCount, provenance, end, features } = summary;
  return (
    <li className={styles.card}>
      <h2>
        <Link href={`/replay/${id}`}>{title}</Link>
      </h2>
      <p className={styles.subtitle}>{subtitle}</p>
      <Timeline ticks={recording ? toTicks(recording) : []} durationMs={durationMs} label={describeTimeline(summary)} />
      <p className={styles.facts}>
        <span>{formatSeconds(durationMs)} s</span>
        <span>{chunkCount} chunks</span>
        <span>{requireProvider(summary.provider).title}</span>
      </p>
      <p className={styles.facts}>
        <Badge>{provenance.kind}</Badge>
        {end !== "complete" && <StatusBadge status={end} />}
        {features.map((feature) => (
          <Badge key={feature}>{feature}</Badge>
        ))}
      </p>
    </li>
  );
}
