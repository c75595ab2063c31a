import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "#lib/platform/database/index";
import { type TestVendors, versionText } from "#tests/support/test-vendors";
import type { Receiver } from "#tests/support/webhook-receivers";

/** How many versions each vendor can publish in one run. */
const maxVersions = 1_000;
const retryMs = 500;
/** Significance from which webhooks are sent. */
const highSignificance = 4;

type TrackingOptions = {
  origin: string;
  cronSecret: string;
  testVendors: TestVendors;
  receiver: Receiver;
  /** Runs a query on the database, which can be restarted at any time. */
  query: <T>(use: (database: Database) => Promise<T>) => Promise<T>;
};

/** What a run stored and sent, and what is missing of it. */
export type TrackingResult = Awaited<ReturnType<ReturnType<typeof startTracking>["finish"]>>;

const breaking = (version: number) =>
  `\nBreaking change: version ${version} of the charges API is deprecated and will be removed on 1 March 2027.\n`;

/**
 * Publishes version after version at all vendors, and runs the jobs through their HTTP endpoint until each version is
 * stored. The vendors' clock only moves on then, so every version that is missing at the end was lost.
 */
export function startTracking({ origin, cronSecret, testVendors, receiver, query }: TrackingOptions) {
  const { vendors } = testVendors;
  const ours = { vendor: { slug: { in: vendors.map(({ slug }) => slug) } } };
  let version = 0;
  let isStopping = false;

  for (const { slug, name } of vendors) {
    const textOf = (index: number) => `${versionText(name, 1)}${index > 0 ? breaking(index + 1) : ""}`;
    testVendors.setVersions(
      slug,
      Array.from({ length: maxVersions }, (_, index) => textOf(index)),
    );
  }

  async function runJob(job: string): Promise<boolean> {
    const response = await fetch(`${origin}/api/cron/${job}`, { headers: { authorization: `Bearer ${cronSecret}` } });
    await response.arrayBuffer();
    return response.ok;
  }

  const countSnapshots = () => query((database) => database.snapshot.count({ where: ours }));

  /** Repeats work until it reports success; requests and queries fail while a process is down. */
  async function persist(work: () => Promise<boolean>): Promise<void> {
    while (!(await work().catch(() => false))) await delay(retryMs);
  }

  async function run(): Promise<void> {
    while (!isStopping && version < maxVersions) {
      version += 1;
      for (const { slug } of vendors) testVendors.setVersion(slug, version);
      await persist(async () => {
        const due = { where: { slug: ours.vendor.slug }, data: { nextFetchAt: new Date() } };
        await query((database) => database.vendor.updateMany(due));
        await runJob("fetch-vendors");
        return (await countSnapshots()) >= vendors.length * version;
      });
      await runJob("analyze-changes").catch(() => false);
      await runJob("deliver-webhooks").catch(() => false);
    }
  }
  const running = run();

  return {
    /** Ends the rounds, lets the jobs finish what is left, and compares. */
    async finish() {
      isStopping = true;
      await running;
      await persist(() => runJob("analyze-changes"));
      await persist(() => runJob("deliver-webhooks"));
      const stored = await countSnapshots();
      const where = { ...ours, diffId: { not: null } };
      const reports = await query((database) => database.report.findMany({ where }));
      const expectedDeliveries = reports.filter(({ significance }) => significance >= highSignificance).length;
      const eventIds = receiver.received.map(({ eventId }) => eventId);
      const deliveries = new Set(eventIds).size;
      const changes = vendors.length * (version - 1);
      return {
        versions: vendors.length * version,
        missingVersions: Math.max(0, vendors.length * version - stored),
        reports: changes,
        missingReports: Math.max(0, changes - reports.length),
        deliveries: expectedDeliveries,
        missingDeliveries: Math.max(0, expectedDeliveries - deliveries),
        // At least once is what webhooks promise.
        repeatedDeliveries: eventIds.length - deliveries,
      };
    },
  };
}
