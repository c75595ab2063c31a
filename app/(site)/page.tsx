import Link from "next/link";
import { cassettesOfSite, replayUrl } from "#lib/cassettes/index";
import { AppError } from "#lib/platform/errors";
import { requestSite } from "../_components/request-site";
import { Tape } from "../_components/tape";
import { ticksOf } from "../_components/ticks-of";

export const dynamic = "force-dynamic";

type Context = Awaited<ReturnType<typeof requestSite>>;

async function cardsOf(context: Context) {
  try {
    const summaries = await cassettesOfSite(context);
    const cards = summaries.map(async (summary) => {
      const recording = await context.catalogue.recording(summary.id);
      return { summary, ticks: recording ? ticksOf(recording) : [] };
    });
    return await Promise.all(cards);
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

function Cards({ cards, origin }: { cards: Awaited<ReturnType<typeof cardsOf>>; origin: string }) {
  if (typeof cards === "string") return <p className="notice">{cards}</p>;
  if (cards.length === 0) {
    return (
      <p className="notice">
        This site has no cassettes yet. <Link href="/docs/recording">Record one</Link>.
      </p>
    );
  }
  return (
    <ul className="cards">
      {cards.map(({ summary, ticks }) => (
        <li key={summary.id} className="card">
          <h3>
            <a href={replayUrl("", summary.id)}>{summary.title}</a>
          </h3>
          <p>{summary.subtitle}</p>
          <Tape
            ticks={ticks}
            durationMs={summary.durationMs}
            label={`${summary.chunkCount} chunks over ${(summary.durationMs / 1000).toFixed(1)} seconds`}
          />
          <p className="facts">
            <span>{(summary.durationMs / 1000).toFixed(1)} s</span>
            <span>{summary.chunkCount} chunks</span>
            <span>{summary.provenance.kind}</span>
          </p>
          <pre className="command">curl -N {replayUrl(origin, summary.id)}</pre>
        </li>
      ))}
    </ul>
  );
}

export default async function HomePage() {
  const context = await requestSite();
  const { origin, site } = context;
  const cards = await cardsOf(context);
  return (
    <>
      <section className="hero">
        <h1>Recorded model answers, streamed as they came.</h1>
        <p className="lead">
          {site.tagline} Byte for byte and with the recorded timing, so that you build and test streaming code with no
          API key and no tokens.
        </p>
        <pre className="command">curl -NL {origin}/api/v1/replay/random</pre>
        <p>
          <Link className="button" href="/docs/quickstart">
            Start here
          </Link>
        </p>
      </section>
      <section aria-labelledby="cassettes">
        <h2 id="cassettes">Cassettes of this site</h2>
        <p className="legend">
          <span className="key-text">text</span>
          <span className="key-thinking">thinking</span>
          <span className="key-tool">tool input</span>
          <span className="key-error">error</span>
          Each tick is a chunk at its time.
        </p>
        <Cards cards={cards} origin={origin} />
      </section>
    </>
  );
}
