import type { Metadata } from "next";
import { cache } from "react";
import { formatCount } from "#lib/platform/format-count";
import {
  type CassetteSummary,
  downloadUrl,
  findAdjacentCassettes,
  isFileShared,
  isFirstTurn,
  replayUrl,
} from "#lib/replay/cassettes/index";
import { describeTiming } from "#lib/replay/playback/index";
import { requireProvider } from "#lib/replay/providers/index";
import { Badge, StatusBadge } from "../../../../_components/badge";
import { CodeBlock } from "../../../../_components/code-block";
import { JsonLd } from "../../../../_components/json-ld";
import { Link } from "../../../../_components/link";
import { failureTitle, LoadFailure } from "../../../../_components/load-failure";
import { getPageContext } from "../../../../_components/page-context";
import { Facts, PageHeader, Rows, Section } from "../../../../_components/page-parts";
import { PreviousNextLinks } from "../../../../_components/pagination";
import { CassettePlayer } from "../../../../_components/player/cassette-player";
import { loadPlayerPage, type PlayerData } from "../../../../_components/player/load-player";
import { Markdown } from "../../../../_components/player/markdown";
import { formatSeconds } from "../../../../_components/player/player-timeline";
import { parsePosition, parseSpeed } from "../../../../_components/player/url-state";
import { scrollBox } from "../../../../_components/scroll-box";
import { TimelineLegend } from "../../../../_components/timeline";
import { AnswerEditor } from "./answer-editor";
import { CodeSnippets } from "./code-snippets";
import { loadAnswer } from "./own-answer";
import styles from "./page.module.css";
import { TimingChart } from "./timing-chart";

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
function Provenance({ summary: { id, model, provider, provenance } }: { summary: CassetteSummary }) {
  const { kind, timing, boundary, recorded_at: recordedAt, edited, recorder, source } = provenance;
  const rows = [
    {
      name: "Content",
      value: edited ? `${kinds[kind].replace(", byte for byte", "")} Its answer was edited.` : kinds[kind],
    },
    { name: "Timing", value: timings[timing] },
    { name: "Chunk", value: boundaries[boundary] },
    { name: "Protocol", value: requireProvider(provider).title },
    { name: "Model", value: model },
    { name: "Created", value: <time dateTime={recordedAt}>{recordedAt.slice(0, 10)}</time> },
    ...(edited === undefined ? [] : [{ name: "Edited", value: <time dateTime={edited}>{edited.slice(0, 10)}</time> }]),
    { name: "Recorder", value: recorder },
    ...Object.entries(source)
      .filter(([name]) => name !== "model")
      .map(([name, value]) => ({ name: name.replaceAll("_", " "), value: String(value) })),
    { name: "Cassette", value: id },
    { name: "Tokens per replay", value: "0" },
  ];
  return (
    <>
      <Rows rows={rows} />
      <p>
        <Link href="/docs/cassettes">About the cassette format</Link>
      </p>
    </>
  );
}

type Query = Record<"t" | "speed" | "autoplay", string | string[] | undefined>;
type Props = { params: Promise<{ vertical: string; slug: string }>; searchParams: Promise<Query> };

const load = cache(async (id: string) => {
  const context = await getPageContext();
  return { context, result: await loadPlayerPage(context, id) };
});

async function loadPage({ params }: Props) {
  const { vertical, slug } = await params;
  return load(`${vertical}/${slug}`);
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { result } = await loadPage(props);
  if (!("data" in result)) return { title: failureTitle(result.error, "Replay") };
  const { id, title, subtitle } = result.data.summary;
  return { title, description: subtitle, alternates: { canonical: `/replay/${id}` } };
}

function creativeWork({ summary: { id, title, subtitle }, recording }: PlayerData, origin: string) {
  const encodingFormat = recording.headers["content-type"]?.split(";")[0];
  return {
    "@type": "CreativeWork",
    name: title,
    description: subtitle,
    url: `${origin}/replay/${id}`,
    isAccessibleForFree: true,
    encoding: { "@type": "MediaObject", contentUrl: replayUrl(origin, id), encodingFormat },
  };
}

function Header({ data: { summary, ticks } }: { data: PlayerData }) {
  const { vertical, title, subtitle, provider, model, provenance, durationMs, chunkCount, byteSize, end } = summary;
  return (
    <PageHeader
      isCompact
      title={title}
      above={
        <>
          <Link href="/replay">Replay</Link> / <Link href={`/replay?vertical=${vertical}`}>{vertical}</Link>
        </>
      }
      lead={subtitle}
    >
      <Facts>
        <Badge>
          {provenance.kind}, {provenance.timing} timing
        </Badge>
        <StatusBadge status={end} />
        {requireProvider(provider).title}
        {model}
        {`${formatSeconds(durationMs)} s`}
        {formatCount(chunkCount, "chunk")}
        {`${byteSize.toLocaleString("en")} bytes`}
        <TimelineLegend kinds={[...new Set(ticks.map(({ kind }) => kind))]} />
      </Facts>
    </PageHeader>
  );
}

const shortcuts = [
  { keys: ["Space"], text: "play or pause" },
  { keys: ["←", "→"], text: "back or forward one second" },
  { keys: [",", "."], text: "back or forward one chunk" },
  { keys: ["Home", "End"], text: "start or end" },
  { keys: ["<", ">"], text: "slower or faster" },
] as const;

/** The player's keyboard shortcuts and URL parameters. */
function KeyboardShortcuts() {
  return (
    <details className={`${styles.shortcuts} text caption`}>
      <summary>Keyboard shortcuts and URL parameters</summary>
      <dl className="row">
        {shortcuts.map(({ keys: names, text }) => (
          <div key={text} className="row tight">
            <dt>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p>
        Home and End work while the timeline has the focus; the others also work while nothing has the focus. The URL
        keeps the position and the speed: <code>?t=4.2&amp;speed=2</code>. Speeds are 0.25, 0.5, 1, 2, 4, 8, 16 and max.
        With <code>autoplay=0</code> the player doesn’t start by itself.
      </p>
    </details>
  );
}

function linkTo(summary: CassetteSummary | undefined) {
  return summary && { href: `/replay/${summary.id}`, title: summary.title };
}

function Downloads({ summary }: { summary: CassetteSummary }) {
  const { id } = summary;
  return (
    <p className="caption">
      Download: {isFileShared(summary) && <a href={downloadUrl("", id)}>cassette</a>}{" "}
      <a href={`${downloadUrl("", id)}?part=body`}>raw response</a>
    </p>
  );
}

export default async function PlayerPage(props: Props) {
  const { context, result } = await loadPage(props);
  if (!("data" in result))
    return <LoadFailure error={result.error} page="Replay" title="This cassette can’t be played right now." />;
  const { data } = result;
  const { t, speed, autoplay } = await props.searchParams;
  const answer = await loadAnswer(context, data.summary.id);
  const turns = (await context.catalogue.matchIndex()).conversation(data.summary.id);
  const adjacent = await findAdjacentCassettes(context, data.summary);
  const { summary, recording } = data;
  const { id, durationMs, prompt } = summary;
  const initialMs = parsePosition(t, durationMs);
  const embed = `<iframe src="${context.origin}/embed/${id}" title="${id}" width="100%" height="420" loading="lazy"></iframe>`;
  return (
    <>
      <JsonLd data={creativeWork(data, context.origin)} />
      <Header data={data} />
      <CassettePlayer
        data={data}
        placement="page"
        autoplay={autoplay === "1" || (initialMs === null && autoplay !== "0")}
        initialMs={initialMs}
        initialSpeed={parseSpeed(speed)}
      />
      <div className={`${styles.tools} row spread`}>
        <KeyboardShortcuts />
        <Downloads summary={summary} />
      </div>
      {prompt && (
        <Section id="prompt" title="Prompt">
          <div {...scrollBox("Prompt")} className={`${styles.prompt} panel text`}>
            <Markdown text={prompt} />
          </div>
        </Section>
      )}
      {turns.length > 1 && (
        <Section id="conversation" title="Conversation">
          <ol>
            {turns.map((turn) => (
              <li key={turn.id}>
                {turn.id === id ? <strong>{turn.title}</strong> : <Link href={`/replay/${turn.id}`}>{turn.title}</Link>}
              </li>
            ))}
          </ol>
        </Section>
      )}
      <Section id="timing" title="Timing">
        <TimingChart
          timing={describeTiming(recording)}
          durationMs={durationMs}
          isMeasured={summary.provenance.timing === "measured"}
        />
      </Section>
      <Section id="code" title="Replay it from your code">
        {turns.length > 1 && (
          <p>
            Clients that name any turn of a conversation play it whole: the first request gets the first turn, later
            ones what follows.
          </p>
        )}
        <CodeSnippets
          id={id}
          provider={summary.provider}
          origin={context.origin}
          url={replayUrl(context.origin, id)}
          isLater={!isFirstTurn(summary.match)}
        />
      </Section>
      <Section id="embed" title="Embed the player">
        <p>
          The iframe contains only the player and adds no script to your page. Optional parameters: autoplay=1, speed=
          and theme=light or theme=dark.
        </p>
        <CodeBlock code={embed} label="iframe" wrap />
      </Section>
      {answer !== null && (
        <Section id="edit" title="Edit the answer">
          <AnswerEditor id={id} text={answer.text} version={answer.version} />
        </Section>
      )}
      <Section id="provenance" title="Provenance">
        <Provenance summary={summary} />
      </Section>
      <PreviousNextLinks kind="cassette" previous={linkTo(adjacent.previous)} next={linkTo(adjacent.next)} />
    </>
  );
}
