import type { Metadata } from "next";
import * as z from "zod";
import { describeBeyond, type PageParameters, pageNumberSchema, readPageFilters } from "#lib/contract/query-schemas";
import { pageHead, sitePages } from "#lib/discovery/documents/index";
import {
  currentModels,
  dayOf,
  daysIfOld,
  listModels,
  type Model,
  type ModelStatus,
  modelPath,
  modelQuerySchema,
  modelStatuses,
  namedFirst,
  nextEnds,
  providersOf,
} from "#lib/models/index";
import { formatCount } from "#lib/platform/format-count";
import { dayMs } from "#lib/platform/time";
import { Button } from "../_components/button";
import { type Column, DataTable } from "../_components/data-table";
import { FilterField, InputField } from "../_components/field";
import { formatDay } from "../_components/format";
import { Link } from "../_components/link";
import { getPageContext } from "../_components/page-context";
import { Facts, InvalidFilters, Notice, PageHeader } from "../_components/page-parts";
import { NumberedPages } from "../_components/pagination";
import { AutoSubmitForm } from "../vendors/_components/auto-submit-form";
import styles from "../vendors/page.module.css";
import { EndsTimeline } from "./_components/ends-timeline";
import { formatEnd, formatPrice, ModelStatusBadge, Successor } from "./_components/model-texts";

export const dynamic = "force-dynamic";

const pageSize = 50;
export const metadata: Metadata = pageHead("/models");

/** Returns the filters of an address. One that is not valid is left out, with a sentence on it in `invalid`. */
function readQuery(given: PageParameters, providers: readonly string[]) {
  const shape = {
    ...modelQuerySchema.omit({ models: true }).shape,
    provider: z.enum(providers),
    page: pageNumberSchema,
  };
  const { filters, invalid } = readPageFilters(shape, given);
  return { query: { page: 1, ...filters }, invalid };
}
type Query = ReturnType<typeof readQuery>["query"];

function hrefOf(query: Query, page: number): string {
  const given = Object.entries({ ...query, page: page > 1 ? String(page) : undefined });
  const parameters = new URLSearchParams(given.flatMap(([name, value]) => (value ? [[name, String(value)]] : [])));
  return parameters.size > 0 ? `/models?${parameters}` : "/models";
}

/** Days within which models end that are offered as a filter. */
const offeredDays = [30, 90, 180, 365];

/** Returns the last days of the offered periods and that of the filter, with their texts. */
function endChoices(now: Date, chosen: string | undefined): [day: string, text: string][] {
  const choices = offeredDays.map((days): [string, string] => [
    dayOf(new Date(now.getTime() + days * dayMs)),
    `within ${days} days`,
  ]);
  const isOffered = chosen === undefined || choices.some(([day]) => day === chosen);
  return isOffered ? choices : [[chosen, `by ${formatDay(chosen)}`], ...choices];
}

function Filters({ query, providers, now }: { query: Query; providers: readonly string[]; now: Date }) {
  const ends = endChoices(now, query.ends_by);
  return (
    <AutoSubmitForm action="/models" label="Models" className={styles.filters}>
      <InputField id="filter-q" label="Id or name" type="search" name="q" defaultValue={query.q} maxLength={200} />
      <FilterField name="provider" label="Provider" any="all providers" value={query.provider} choices={providers} />
      <FilterField name="status" label="Status" any="any status" value={query.status} choices={modelStatuses} />
      <FilterField name="ends_by" label="Ends" any="any time" value={query.ends_by} choices={ends} />
      <Button type="submit" variant="primary">
        Search
      </Button>
    </AutoSubmitForm>
  );
}

const order: Readonly<Record<ModelStatus, number>> = { deprecated: 0, active: 1, unknown: 2, retired: 3 };

/** Those that end next come first, then those that may; those that have ended come last. */
function compareModels(a: Model, b: Model): number {
  const rankOf = ({ status, may_end: mayEnd }: Model) => (mayEnd ? order.deprecated : order[status]);
  const endOf = ({ status, retired }: Model) => (status === "deprecated" && retired) || "none";
  return rankOf(a) - rankOf(b) || (endOf(a) === endOf(b) ? 0 : endOf(a) < endOf(b) ? -1 : 1);
}

const columns: readonly Column<Model>[] = [
  {
    title: "Model",
    width: 30,
    cell: (model) => (
      <>
        <Link href={modelPath(model)}>{model.id}</Link>
        <span className={`${styles.domain} caption`}>{model.provider}</span>
      </>
    ),
  },
  { title: "Status", width: 14, cell: (model) => <ModelStatusBadge model={model} /> },
  { title: "End", width: 16, cell: formatEnd },
  { title: "Successor", width: 25, cell: (model) => <Successor model={model} /> },
  { title: "In / out, $ per million", width: 15, isNumber: true, cell: formatPrice },
];

function SimilarModels({ names }: { names: readonly string[] }) {
  return names.map((name, index) => {
    const [provider = "", ...id] = name.split("/");
    return (
      <span key={name}>
        {index > 0 && ", "}
        <Link href={modelPath({ provider, id: id.join("/") })}>{name}</Link>
      </span>
    );
  });
}

export default async function ModelsPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  const context = await getPageContext();
  const catalogue = await currentModels(context);
  const providers = providersOf(catalogue.models);
  const { query, invalid } = readQuery(await searchParams, providers);
  const { models: found, caveat, similar = [] } = await listModels(context, { query });
  const models = namedFirst(found.sort(compareModels), query.q);
  const pageCount = Math.max(1, Math.ceil(models.length / pageSize));
  const page = Math.min(query.page, pageCount);
  const first = (page - 1) * pageSize;
  const now = context.clock.now();
  const endsText = [query.ends && `on ${formatDay(query.ends)}`, query.ends_by && `by ${formatDay(query.ends_by)}`]
    .filter(Boolean)
    .join(" and ");
  const endVerb = query.status === "retired" ? "ended" : query.ends ? "end" : "end, or may,";
  const age = daysIfOld(catalogue, now);
  const shown = models.slice(first, first + pageSize);
  return (
    <>
      <PageHeader title="Models" lead={sitePages["/models"].description}>
        <Facts>
          <span>sources read until {formatDay(catalogue.read)}</span>
          <span>from third-party sources</span>
          <Link href="/docs/models">find those that your code uses</Link>
        </Facts>
      </PageHeader>
      {age !== null && (
        <Notice title={`The catalogue of models is ${age} days old.`}>
          Since {formatDay(catalogue.read)}, models may have been announced, or have ended, of which this server does
          not know.
        </Notice>
      )}
      <EndsTimeline ends={nextEnds(catalogue, now)} now={now} />
      <InvalidFilters messages={[...invalid, ...describeBeyond(query.page, pageCount)]} />
      <Filters query={query} providers={providers} now={now} />
      <p role="status" className={`${styles.count} caption`}>
        {formatCount(models.length, "model")}
        {endsText && (
          <>
            {` that ${endVerb} ${endsText}. `}
            <a href="/models">Show all models</a>
          </>
        )}
      </p>
      {caveat && shown.length > 0 && <Notice>{caveat}</Notice>}
      {shown.length === 0 ? (
        <Notice tone="empty" title="No matching models.">
          {similar.length > 0 && (
            <p>
              Similar: <SimilarModels names={similar} />
            </p>
          )}
          <p>
            <a href="/models">Show all models</a>. A model that is not listed is not known; it may still end.
          </p>
        </Notice>
      ) : (
        <DataTable
          caption="Models, with prices in USD per million tokens"
          columns={columns}
          items={shown}
          keyOf={modelPath}
          stacks
        />
      )}
      <NumberedPages label="Models" page={page} pageCount={pageCount} hrefOf={(number) => hrefOf(query, number)}>
        {first + 1}–{first + shown.length} of {models.length.toLocaleString("en")}
      </NumberedPages>
    </>
  );
}
