import type { CassetteSummary } from "#lib/replay/cassettes/index";
import { requireProvider } from "#lib/replay/providers/index";
import { Link } from "../../../../_components/link";
import styles from "./provenance.module.css";

const kinds: Record<CassetteSummary["provenance"]["kind"], string> = {
  recorded: "Recorded from the provider, byte for byte.",
  imported: "Imported from another tool's capture of a provider's response.",
  authored: "Authored: written for this project. No model wrote it.",
};
const timings: Record<CassetteSummary["provenance"]["timing"], string> = {
  measured: "Measured while the response arrived.",
  synthetic: "Synthetic: set by an author or importer, not measured.",
};
const boundaries: Record<CassetteSummary["provenance"]["boundary"], string> = {
  "http-read": "One read of the HTTP body.",
  "sse-event": "Each chunk is one or more whole events.",
};

/** The provenance of a cassette. */
export function Provenance({ summary: { id, model, provider, provenance } }: { summary: CassetteSummary }) {
  const { kind, timing, boundary, recorded_at: recordedAt, recorder, source } = provenance;
  const rows = [
    { name: "Content", value: kinds[kind] },
    { name: "Timing", value: timings[timing] },
    { name: "Chunk", value: boundaries[boundary] },
    { name: "Protocol", value: requireProvider(provider).title },
    { name: "Model", value: model },
    { name: "Created", value: <time dateTime={recordedAt}>{recordedAt.slice(0, 10)}</time> },
    { name: "Recorder", value: recorder },
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
        <Link href="/docs/cassettes">About the cassette format</Link>
      </p>
    </>
  );
}
