import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { cache } from "react";
import {
  caveatOf,
  currentModels,
  describeModelChange,
  findNamed,
  getModel,
  keyOf,
  type Model,
  type ModelDetail,
  modelPath,
  providersOf,
} from "#lib/models/index";
import { quoteArgument } from "#lib/platform/command-line";
import { AppError } from "#lib/platform/errors";
import { decodeUrlPart } from "#lib/platform/parse-url";
import { SignificanceBadge } from "../../_components/badge";
import { CodeBlock } from "../../_components/code-block";
import { type Column, DataTable } from "../../_components/data-table";
import { formatDay } from "../../_components/format";
import { Link } from "../../_components/link";
import { loadPageData } from "../../_components/load-data";
import { failureTitle } from "../../_components/load-failure";
import { getPageContext } from "../../_components/page-context";
import { Facts, Notice, PageHeader, Rows, Section } from "../../_components/page-parts";
import { WebLink } from "../../vendors/_components/vendor-pages";
import { ModelNotFound } from "../_components/model-not-found";
import { formatEnd, formatUsd, ModelStatusBadge, StatedSuccessors, Successor } from "../_components/model-texts";

export const dynamic = "force-dynamic";

/** `name`: what the model was asked for as, if it is a cloud's. */
type Props = { params: Promise<{ path: string[] }>; searchParams: Promise<{ name?: string | string[] }> };

const maxShownLength = 100;
const shortened = (name: string) => (name.length > maxShownLength ? `${name.slice(0, maxShownLength)}…` : name);

const load = cache(async (path: string) => {
  const context = await getPageContext();
  const name = decodeUrlPart(path) ?? path;
  const catalogue = await currentModels(context);
  if (providersOf(catalogue.models).includes(name)) redirect(`/models?provider=${encodeURIComponent(name)}`);
  const { named, near } = findNamed(catalogue, name);
  const [model, ...others] = named;
  const result = await loadPageData(async () => {
    if (model && others.length === 0) return getModel(context, { params: model });
    throw new AppError(
      "not_found",
      `${model ? "More than one model is" : "No model is"} known as “${shortened(name)}”.`,
    );
  });
  return { result, name, near, isShared: others.length > 0 };
});

const loadModel = async ({ params }: Props) => load((await params).path.join("/"));

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { result } = await loadModel(props);
  if (!("data" in result)) return { title: failureTitle(result.error, "Models") };
  const model = result.data;
  const description = `When ${model.name} (${model.provider} ${model.id}) ends, what replaces it, and what it costs.`;
  return { title: model.name, description, alternates: { canonical: modelPath(model) } };
}

function pricesText(...prices: (number | null | undefined)[]): string {
  if (prices.every((price) => price === null || price === undefined)) return "not known";
  return `${prices.map(formatUsd).join(", ")} per million tokens`;
}
const tokens = (count: number | null | undefined) => count?.toLocaleString("en") ?? "–";
const limitsText = (limits: Model["limits"]) =>
  limits ? `${tokens(limits.context)}, ${tokens(limits.output)} tokens` : "not known";

function ModelRows({ model }: { model: Model }) {
  const { aliases, released, deprecated, successor, successors, price, limits } = model;
  const isStated = successors.every(({ provider, id }) => provider === successor?.provider && id === successor.id);
  const day = (value: string | null) => (value === null ? "not known" : formatDay(value));
  return (
    <Rows
      rows={[
        { name: "id", value: <code>{model.id}</code> },
        { name: "aliases", value: aliases.length > 0 ? aliases.join(", ") : "–" },
        { name: "released", value: day(released) },
        { name: "deprecated", value: day(deprecated) },
        { name: "end", value: formatEnd(model) },
        { name: "successor", value: <Successor model={model} /> },
        ...(isStated ? [] : [{ name: "as stated", value: <StatedSuccessors model={model} /> }]),
        { name: "input, output", value: pricesText(price?.input, price?.output) },
        { name: "cache read, write", value: pricesText(price?.cache_read, price?.cache_write) },
        { name: "context, output", value: limitsText(limits) },
      ]}
    />
  );
}

const historyColumns: readonly Column<ModelDetail["history"][number]>[] = [
  { title: "Noticed", cell: ({ at }) => <time dateTime={at}>{formatDay(at)}</time> },
  { title: "Change", cell: describeModelChange },
  { title: "Significance", cell: ({ significance }) => <SignificanceBadge significance={significance} /> },
  { title: "Source", isMinor: true, cell: ({ source }) => new URL(source).hostname },
];

function ModelHistory({ model }: { model: ModelDetail }) {
  const query = new URLSearchParams({ models: `${model.provider}/${model.id}` });
  return (
    <Section id="history" title="What changed">
      {model.history.length > 0 ? (
        <DataTable
          caption="What changed"
          columns={historyColumns}
          items={model.history}
          keyOf={({ at, field }) => `${at} ${field}`}
          stacks
        />
      ) : (
        <p>Nothing since this server reads the catalogues of its sources itself.</p>
      )}
      <p className="row tight caption">
        <a href={`/changes?${query}`}>Changes with their diffs</a>
        <a href={`/feed.xml?${query}`}>Atom feed</a>
        <Link href="/docs/models#what-changes">Mail and webhooks</Link>
      </p>
    </Section>
  );
}

function OwnUses({ model: { id, successor } }: { model: Model }) {
  const next = successor ? `name ${successor.id}` : "name another model";
  const commands = [
    "npx tapedeck audit --code src   # files and recordings that use models, with their ends and successors",
    `# ${next} where they use it, and record those tests again:`,
    `npx tapedeck run --mode record --affected --model ${quoteArgument(id)} -- npm test`,
  ];
  return (
    <Section id="uses" title="In your code and tests">
      <CodeBlock label="commands" title="sh" code={commands.join("\n")} wrap />
      <p className="row tight caption">
        <Link href="/docs/testing">Install the package first</Link>
        <Link href="/docs/drift">Compare recorded answers with another model</Link>
      </p>
    </Section>
  );
}

export default async function ModelPage(props: Props) {
  const { result, name, ...rest } = await loadModel(props);
  if (!("data" in result)) return <ModelNotFound message={result.error.message} {...rest} />;
  const model = result.data;
  // Not for good: a later model may have the same alias, or another provider the same id.
  if (name !== keyOf(model)) {
    const query = caveatOf(name, model) ? `?${new URLSearchParams({ name })}` : "";
    redirect(`${modelPath(model)}${query}`);
  }
  const { name: asked } = await props.searchParams;
  const caveat = typeof asked === "string" ? caveatOf(asked, model) : undefined;
  return (
    <>
      <PageHeader above={<Link href="/models">Models</Link>} title={model.name}>
        <Facts>
          {model.provider}
          <ModelStatusBadge model={model} />
          <span>end: {formatEnd(model)}</span>
        </Facts>
      </PageHeader>
      {model.status === "unknown" && (
        <Notice title="Its end is not known.">No source says whether this model will end. It may.</Notice>
      )}
      {caveat && <Notice>{caveat}</Notice>}
      {model.age_warning && <Notice>{model.age_warning}</Notice>}
      <Section id="facts" title="Dates, successors and price">
        <ModelRows model={model} />
      </Section>
      <OwnUses model={model} />
      <ModelHistory model={model} />
      <Section
        id="sources"
        title="Sources"
        hint="Not the vendor’s word: what these pages said on the day they were read."
      >
        <ul className="text">
          {model.sources.map(({ url, read }) => (
            <li key={url}>
              <WebLink href={url} />, read on {formatDay(read)}
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
