import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openBrowserForDebugging } from "#tests/support/chromium";
import { installPackages } from "#tests/support/clients/install-packages";
import { createTestDatabase } from "#tests/support/database";
import { runCli } from "#tests/support/run-cli";
import { serve } from "#tests/support/serve";
import { defineBench, format, median } from "./harness";

const paths = ["/", "/docs/replay", "/pricing", "/replay", "/replay/legal/nda-review", "/vendors", "/vendors/quarrydb"];
const categories = ["performance", "accessibility", "best-practices", "seo"];
const devices = ["phone", "desktop"] as const;

/** It has 170 packages of its own, so it is installed only where it runs. */
const lighthousePackage = "lighthouse@12.8.2";

type Audit = { id: string; score: number | null; scoreDisplayMode: string; displayValue?: string };
type RunnerResult = {
  lhr: {
    categories: Record<string, { score: number | null } | undefined>;
    audits: Record<string, Audit>;
    environment: { benchmarkIndex: number };
  };
};
type Lighthouse = {
  default(url: string, flags: object, config?: object): Promise<RunnerResult | undefined>;
  desktopConfig: object;
};

const scoreOf = ({ lhr }: RunnerResult, name: string) => Math.round((lhr.categories[name]?.score ?? 0) * 100);

function failedOf({ lhr }: RunnerResult): string[] {
  return Object.values(lhr.audits)
    .filter(({ score, scoreDisplayMode }) => score !== null && score < 0.9 && scoreDisplayMode !== "informative")
    .map(({ id, displayValue = "" }) => `${id} ${displayValue}`.trim());
}

export const bench = defineBench({
  about: `Lighthouse on the built site with the samples: home, a docs page, pricing, the gallery, a player, the vendors, a vendor's page and its
newest diff, as a phone with a slow connection and as a desktop. The benchmark index is Lighthouse's measure of this machine.`,
  options: { rounds: { default: 3, quick: 1, min: 1, max: 9, about: "runs of each page" } },
  async run({ rounds }, { say, cleanUp, isQuick }) {
    say(`installing ${lighthousePackage}`);
    const { folder, remove } = installPackages([lighthousePackage]);
    cleanUp(remove);
    const entry = pathToFileURL(join(folder, "node_modules/lighthouse/core/index.js"));
    const { default: lighthouse, desktopConfig } = (await import(entry.href)) as Lighthouse;
    const database = await createTestDatabase();
    cleanUp(database.drop);
    await runCli(["seed", "--samples"], { environment: { DATABASE_URL: database.url } });
    const app = await serve("node", { DATABASE_URL: database.url, LOG_LEVEL: "warn" });
    cleanUp(app.stop);
    const { browser, port } = await openBrowserForDebugging();
    cleanUp(() => browser.close());
    const { diffs } = await (await fetch(`${app.origin}/api/v1/vendors/quarrydb`)).json();
    const all = [...paths, `/vendors/quarrydb/diffs/${diffs[0].id}`];
    const results = [];
    for (const path of isQuick ? all.slice(0, 1) : all) {
      for (const device of devices) {
        const runs: RunnerResult[] = [];
        while (runs.length < rounds) {
          const flags = { port, onlyCategories: categories, logLevel: "error" as const };
          const config = device === "desktop" ? desktopConfig : undefined;
          const run = await lighthouse(`${app.origin}${path}`, flags, config);
          if (!run) throw new Error(`Lighthouse returned nothing for ${path}`);
          runs.push(run);
        }
        const scores = categories.map((name) => median(runs.map((run) => scoreOf(run, name))));
        const benchmarkIndex = median(runs.map(({ lhr }) => lhr.environment.benchmarkIndex));
        results.push({ path, device, scores, benchmarkIndex, failedAudits: [...new Set(runs.flatMap(failedOf))] });
        say(
          `${path}, ${device}: ${scores.join(", ")}; below 0.9: ${results.at(-1)?.failedAudits.join("; ") || "none"}`,
        );
      }
    }
    const rows = results.map(({ path, device, scores, benchmarkIndex }) => [
      ...[path, device, ...scores.map(String), format(benchmarkIndex)],
    ]);
    return { tables: [{ head: ["Page", "Device", ...categories, "Benchmark index"], rows }], results: { results } };
  },
});
