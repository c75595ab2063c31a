import type { CassetteSummary } from "#lib/replay/cassettes/index";
import { Link } from "../../../../_components/link";
import styles from "./provenance.module.css";

const kinds: Record<CassetteSummary["provenance"]["kind"], string> = {
  recorded: "Recorded from the provider, byte for byte.",
  imported: "Imported from another tool's capture of the provider's answer.",
  authored: "Authored: written for this project. No model wrote it.",
};
const timings: Record<CassetteSummary["provenance"]["timing"], string> = {
  measured: "Measured by a clock while it arrived.",
  synthetic: "Synthetic: made up, never measured.",
};
const boundaries: Record<CassetteSummary["provenance"]["boundary"], string> = {
  "http-read": "One read of the HTTP body.",
  "sse-event": "One or more whole events.",
};

/** Where a cassette comes from, plainly. */
export function Provenance({ summary: { id, model, provenance } }: { summary: CassetteSummary }) {
  const { kind, timing, boundary, recorded_at: recordedAt, recorder, source } = provenance;
  const rows = [
    { name: "Words", value: kinds[kind] },
    { name: "Times", value: timings[timing] },
    { name: "A chunk is", value: boundaries[boundary] },
    { name: "Model", value: model },
    { name: "Made", value: <time dateTime={recordedAt}>{recordedAt.slice(0, 10)}</time> },
    { name: "By", value: recorder },
    ...Object.entries(source).map(([name, value]) => ({ name, value: String(value) })),
    { name: "Cassette", value: id },
    { name: "Tokens per replay", value: "0" },
  ];
  return (
    <>
      <dl className={styles.rows}>
        {rows.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p>
        <Link href="/docs/cassettes">What a cassette holds</Link>
      </p>
    </>
  );
}
