import { AppError } from "#lib/platform/errors";
import { cassettesOfSite, replayUrl } from "#lib/replay/cassettes/index";
import { ButtonLink } from "../_components/button";
import { CodeBlock } from "../_components/code-block";
import { JsonLd } from "../_components/json-ld";
import { Link } from "../_components/link";
import { Notice } from "../_components/notice";
import { readStage, type Stage } from "../_components/player/read-stage";
import { StagePlayer } from "../_components/player/stage-player";
import { requestSite } from "../_components/request-site";
import { TapeLegend } from "../_components/tape";
import { Doors } from "./doors";
import styles from "./home.module.css";
import { WeekChanges } from "./week-changes";

export const dynamic = "force-dynamic";

type Context = Awaited<ReturnType<typeof requestSite>>;

/** The first cassette of the site that ends well: what the home page plays. */
async function stageOfSite(context: Context): Promise<Stage | AppError | undefined> {
  try {
    const summaries = await cassettesOfSite(context);
    const chosen = summaries.find(({ end, status }) => end === "complete" && status === 200) ?? summaries[0];
    return chosen && (await readStage(context, chosen.id));
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function Playing({ stage, origin }: { stage: Stage; origin: string }) {
  const { id, title, provenance } = stage.summary;
  const kinds = [...new Set(stage.ticks.map(({ kind }) => kind))];
  return (
    <section aria-labelledby="playing" className={styles.playing}>
      <div className={styles.title}>
        <h2 id="playing">
          <Link href={`/replay/${id}`}>{title}</Link>
        </h2>
        <p className="muted">
          {provenance.kind}, {provenance.timing} timing
        </p>
        <TapeLegend kinds={kinds} />
      </div>
      <StagePlayer stage={stage} place="home" startsByItself initialMs={null} initialSpeed={1} />
      <CodeBlock code={`curl -N ${replayUrl(origin, id)}`} label="curl command" wrap />
      <p className="muted">The same stream in your terminal: no key, no tokens, the same bytes at the same times.</p>
    </section>
  );
}

function webSite({ site, origin }: Context) {
  const urlTemplate = `${origin}/docs/search-results?q={words}`;
  return {
    ...{ "@type": "WebSite", name: site.display_name, description: site.tagline, url: origin },
    potentialAction: {
      "@type": "SearchAction",
      target: { "@type": "EntryPoint", urlTemplate },
      "query-input": "required name=words",
    },
  };
}

export default async function HomePage() {
  const context = await requestSite();
  const stage = await stageOfSite(context);
  return (
    <>
      <JsonLd data={webSite(context)} />
      <header className={styles.hero}>
        <h1>Recorded model answers, streamed as they came.</h1>
        <p className="lead">
          {context.site.tagline} Build and test streaming code against them, with no API key and no tokens.
        </p>
      </header>
      {stage === undefined && (
        <Notice tone="empty" title="This site has no cassettes yet.">
          <ButtonLink href="/docs/recording">Record one</ButtonLink>
        </Notice>
      )}
      {stage instanceof AppError && (
        <Notice tone="error" title="The cassettes cannot be played now.">
          {stage.message}
        </Notice>
      )}
      {stage && !(stage instanceof AppError) && <Playing stage={stage} origin={context.origin} />}
      <WeekChanges context={context} />
      <Doors />
    </>
  );
}
