import type { Metadata } from "next";
import { describeBeyond, type PageParameters } from "#lib/contract/query-schemas";
import { pageHead } from "#lib/discovery/documents/index";
import { AppError } from "#lib/platform/errors";
import { formatCount } from "#lib/platform/format-count";
import { type CassetteSummary, type Recording, verticals } from "#lib/replay/cassettes/index";
import { findProvider, requireProvider } from "#lib/replay/providers/index";
import type { ProductContext } from "#lib/server/products";
import { Badge, StatusBadge } from "../../_components/badge";
import { Button, ButtonLink } from "../../_components/button";
import { SelectField } from "../../_components/field";
import { Link } from "../../_components/link";
import { orAppError } from "../../_components/load-data";
import { getPageContext } from "../../_components/page-context";
import { InvalidFilters, Notice, PageHeader } from "../../_components/page-parts";
import { NumberedPages } from "../../_components/pagination";
import { describeTimeline } from "../../_components/player/cassette-player";
import { formatSeconds } from "../../_components/player/player-timeline";
import { Timeline, TimelineLegend } from "../../_components/timeline";
import { toTicks } from "../../_components/timeline-ticks";
import {
  type FilterName,
  type Filters,
  filterNames,
  galleryPath,
  matchesFilters,
  parseFilters,
  valuesOf,
} from "./filters";
import styles from "./page.module.css";

const titles: Record<FilterName, string> = {
  vertical: "Vertical",
  protocol: "Protocol",
  end: "End",
  feature: "Contains",
  provenance: "Provenance",
};

const valueTexts: Record<string, string> = {
  all: "all",
  complete: "complete",
  error: "error",
  truncated: "cut off",
  tools: "tool calls",
};

function textOf(name: FilterName, value: string): string {
  const protocol = name === "protocol" ? findProvider(value)?.title : undefined;
  return protocol ?? valueTexts[value] ?? value.replace("-", " ");
}

/** The gallery's filters, as a form that works without JavaScript. */
function FilterForm({ filters, folders }: { filters: Filters; folders: readonly string[] }) {
  return (
    <form action="/replay" className={styles.form}>
      {filterNames.map((name) => (
        <SelectField
          key={name}
          id={name}
          label={titles[name]}
          choices={valuesOf(name, folders).map((value) => [value, textOf(name, value)] as const)}
          name={name}
          defaultValue={filters[name]}
        />
      ))}
      <Button type="submit" variant="primary">
        Filter
      </Button>
    </form>
  );
}

/** A cassette in the gallery, with its timeline. */
function CassetteCard({ summary, recording }: { summary: CassetteSummary; recording: Recording | undefined }) {
  const { id, title, subtitle, durationMs, chunkCount, provenance, end, features } = summary;
  return (
    <li className={`${styles.card} panel`}>
      <h2 className="minor">
        <Link href={`/replay/${id}`}>{title}</Link>
      </h2>
      <p className="muted">{subtitle.replace(/ \(authored\)$/, "")}</p>
      <Timeline ticks={recording ? toTicks(recording) : []} durationMs={durationMs} label={describeTimeline(summary)} />
      <p className="row caption">
        <span>{formatSeconds(durationMs)} s</span>
        <span>{formatCount(chunkCount, "chunk")}</span>
        <span>{requireProvider(summary.provider).title}</span>
      </p>
      <p className="row tight caption">
        <Badge>{provenance.kind}</Badge>
        {end !== "complete" && <StatusBadge status={end} />}
        {features.map((feature) => (
          <Badge key={feature}>{feature}</Badge>
        ))}
      </p>
    </li>
  );
}

export const metadata: Metadata = pageHead("/replay");

const pageSize = 24;

async function loadCards({ catalogue }: ProductContext, filters: Filters, given: number) {
  const found = (await catalogue.list()).filter((summary) => matchesFilters(summary, filters));
  const pageCount = Math.max(1, Math.ceil(found.length / pageSize));
  const page = Math.min(given, pageCount);
  const shown = found.slice((page - 1) * pageSize, page * pageSize);
  const cards = shown.map(async (summary) => ({ summary, recording: await catalogue.recording(summary.id) }));
  return { count: found.length, page, pageCount, cards: await Promise.all(cards) };
}

/**
 * Returns the vertical that the gallery opens with, which is the site's, or all on a server whose cassettes are of others, and
 * the folders that are no verticals.
 */
async function listFolders({ catalogue, site }: ProductContext): Promise<{ opening: string; folders: string[] }> {
  const all = [...new Set((await catalogue.list()).map(({ vertical }) => vertical))];
  const listed: readonly string[] = verticals;
  return {
    opening: all.includes(site.vertical) ? site.vertical : "all",
    folders: all.filter((each) => !listed.includes(each)),
  };
}

type GalleryProps = { found: Awaited<ReturnType<typeof loadCards>> | AppError; filters: Filters };

function Gallery({ found, filters }: GalleryProps) {
  if (found instanceof AppError) {
    return (
      <Notice tone="error" title="The cassettes can’t be loaded right now.">
        {found.message}
      </Notice>
    );
  }
  const { count, cards, page, pageCount } = found;
  if (cards.length === 0) {
    return (
      <Notice tone="empty" title="No matching cassettes.">
        <p>Remove a filter, or record your own cassette.</p>
        <p>
          <ButtonLink href="/replay?vertical=all">Show all</ButtonLink>{" "}
          <ButtonLink href="/docs/recording">Record</ButtonLink>
        </p>
      </Notice>
    );
  }
  const first = (page - 1) * pageSize;
  return (
    <>
      <ul className={`${styles.cards} plain-list`}>
        {cards.map(({ summary, recording }) => (
          <CassetteCard key={summary.id} summary={summary} recording={recording} />
        ))}
      </ul>
      <NumberedPages
        label="cassettes"
        page={page}
        pageCount={pageCount}
        hrefOf={(number) => galleryPath(filters, number)}
      >
        {first + 1}–{first + cards.length} of {count}
      </NumberedPages>
    </>
  );
}

export default async function GalleryPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  const [context, query] = [await getPageContext(), await searchParams];
  const listed = await orAppError(() => listFolders(context));
  const { opening, folders } = listed instanceof AppError ? { opening: "all", folders: [] } : listed;
  const { filters, page, invalid } = parseFilters(query, opening, folders);
  const found = await orAppError(() => loadCards(context, filters, page));
  const count = found instanceof AppError ? null : found.count;
  const beyond = found instanceof AppError ? [] : describeBeyond(page, found.pageCount);
  return (
    <>
      <PageHeader
        title="Replay"
        lead="Each timeline is one LLM response. Every tick is a chunk, at the time it arrives."
      >
        <p className="caption">
          <Link href="/replay/open">Play a file of your own</Link>
        </p>
      </PageHeader>
      <InvalidFilters messages={[...invalid, ...beyond]} />
      <FilterForm filters={filters} folders={folders} />
      <div className={`${styles.count} row spread caption`}>
        <p>{count === null ? "" : `${count} ${count === 1 ? "cassette" : "cassettes"}`}</p>
        <TimelineLegend kinds={["text", "thinking", "tool", "error"]} />
      </div>
      <Gallery found={found} filters={filters} />
    </>
  );
}
