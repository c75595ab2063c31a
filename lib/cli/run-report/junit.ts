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

/** Returns why a test's calls count as failed. */
function failureOf({ misses, unreadable, unwritten, withheld, notes }: SessionReport): string | null {
  const texts = [...misses.map((miss) => describeMiss(miss)), ...(unreadable + unwritten + withheld > 0 ? notes : [])];
  return texts.length > 0 ? texts.join("\n\n") : null;
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
export function junitText(reports: readonly SessionReport[], catalogue: ModelCatalogue, now: Date): string {
  const cases = reports.map((report) => {
    const failure = failureOf(report);
    const [file = "", ...names] = report.test.split(/ > |::/);
    const name = names.join(" > ") || file;
    const body = [
      properties(summarizeModels([report], catalogue, now), sumOf([report])),
      ...(failure === null
        ? []
        : [`<failure message="Requests that were not answered, or not recorded">${escapeMarkup(failure)}</failure>`]),
    ];
    return `<testcase${attribute("classname", file)}${attribute("name", name)}>${body.join("")}</testcase>`;
  });
  const failures = reports.filter((report) => failureOf(report) !== null).length;
  const suite = `<testsuite name="tapedeck"${attribute("tests", reports.length)}${attribute("failures", failures)}${attribute("timestamp", now.toISOString().slice(0, 19))}>`;
  const all = properties(summarizeModels(reports, catalogue, now), sumOf(reports));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suite}\n${[all, ...cases].join("\n")}\n</testsuite>\n</testsuites>\n`;
}
