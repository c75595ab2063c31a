import type { ModelCatalogue } from "#lib/models/index";
import { escapeMarkup } from "#lib/platform/escape-markup";
import { countMissed, describeMiss, type SessionReport } from "#lib/replay/recording-proxy/index";
import { type RunModels, type Spending, summarizeModels } from "./summarize-models";

const attribute = (name: string, value: string | number) => ` ${name}="${escapeMarkup(String(value))}"`;

function property(name: string, value: string | number): string {
  return `<property${attribute("name", `tapedeck.${name}`)}${attribute("value", value)}/>`;
}

/** Returns the properties of calls. Costs that are not known are left out; `unpriced_calls` counts them. */
function spendingProperties(kind: "not_spent" | "spent", spending: Spending): string[] {
  const { calls, unmetered, usd, unpriced, input, output, cache_read, cache_write } = spending;
  if (calls === 0) return [];
  const unpricedCalls = unpriced.reduce((sum, { calls: each }) => sum + each, 0);
  return [
    property(`${kind}.input_tokens`, input + cache_read + cache_write),
    property(`${kind}.output_tokens`, output),
    ...(calls > unmetered + unpricedCalls ? [property(`${kind}.usd`, Number(usd.toPrecision(6)))] : []),
    ...(unpricedCalls > 0 ? [property(`${kind}.unpriced_calls`, unpricedCalls)] : []),
    ...(unmetered > 0 ? [property(`${kind}.calls_without_usage`, unmetered)] : []),
  ];
}

function properties({ played, recorded, models }: RunModels, counts: Readonly<Record<string, number>>): string {
  const list = [
    ...Object.entries(counts).map(([name, count]) => property(name, count)),
    ...spendingProperties("not_spent", played),
    ...spendingProperties("spent", recorded),
    ...models.map(({ name, end }) => property("model", `${name}: ${end}`)),
  ];
  return `<properties>${list.join("")}</properties>`;
}

type JunitOptions = {
  catalogue: ModelCatalogue;
  now: Date;
  /** Tapes that no test of the run has opened. */
  unopened?: ReadonlySet<SessionReport>;
  /** Whether the tests were to use all of their recordings. */
  isComplete?: boolean;
};

/** Returns why a test's calls count as failed. */
function failureOf(report: SessionReport, isComplete: boolean): string | null {
  const { misses, unused, unreadable, unwritten, withheld, notes } = report;
  const texts = [
    ...misses.map((miss) => describeMiss(miss)),
    ...(unreadable + unwritten + withheld > 0 ? notes : []),
    ...(isComplete && unused.length > 0 ? [`Nothing asked for ${unused.join(", ")}.`] : []),
  ];
  return texts.length > 0 ? texts.join("\n\n") : null;
}

/** Returns a test's result: skipped if the run did not open its tape. */
function resultOf(report: SessionReport, { unopened, isComplete = false }: JunitOptions): string {
  if (unopened?.has(report)) return '<skipped message="No test of the run opened its tape"/>';
  const failure = failureOf(report, isComplete);
  if (failure === null) return "";
  return `<failure message="Requests that were not answered or not recorded, or recordings that were not used">${escapeMarkup(failure)}</failure>`;
}

function sumOf(reports: readonly SessionReport[]): Record<string, number> {
  const sum = (count: (report: SessionReport) => number) => reports.reduce((total, report) => total + count(report), 0);
  return {
    played: sum(({ played }) => played),
    recorded: sum(({ recorded }) => recorded),
    missed: countMissed(reports),
    unused: sum(({ unused }) => unused.length),
  };
}

/** Returns the calls of a run as JUnit's XML: a test case for each tape, with its counts, tokens, costs and models. */
export function junitText(reports: readonly SessionReport[], options: JunitOptions): string {
  const { catalogue, now } = options;
  const results = new Map(reports.map((report) => [report, resultOf(report, options)]));
  const cases = reports.map((report) => {
    const [file = "", ...names] = report.test.split(/ > |::/);
    const name = names.join(" > ") || file;
    const body = `${properties(summarizeModels([report], catalogue, now), sumOf([report]))}${results.get(report)}`;
    return `<testcase${attribute("classname", file)}${attribute("name", name)}>${body}</testcase>`;
  });
  const count = (element: string) => [...results.values()].filter((result) => result.startsWith(element)).length;
  const suite = `<testsuite name="tapedeck"${attribute("tests", reports.length)}${attribute("failures", count("<failure"))}${attribute("skipped", count("<skipped"))}${attribute("timestamp", now.toISOString().slice(0, 19))}>`;
  const all = properties(summarizeModels(reports, catalogue, now), sumOf(reports));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suite}\n${[all, ...cases].join("\n")}\n</testsuite>\n</testsuites>\n`;
}
