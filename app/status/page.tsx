import type { Metadata } from "next";
import { pageHead } from "#lib/discovery/documents/index";
import { type FleetHealth, getFleetHealth, getJobStatuses, type JobStatus, readHistory } from "#lib/jobs/index";
import { AppError } from "#lib/platform/errors";
import { getHealth } from "#lib/server/health/index";
import type { ProductContext } from "#lib/server/products";
import { getStats, getVendorFacts, type Stats, type VendorFacts } from "#lib/tracking/vendors/index";
import { Badge, StatusBadge } from "../_components/badge";
import { type Column, DataTable } from "../_components/data-table";
import { FetchingNotice } from "../_components/fetching-notice";
import { formatBytes } from "../_components/format";
import { Link } from "../_components/link";
import { loadData } from "../_components/load-data";
import { getPageContext } from "../_components/page-context";
import { Facts, Notice, PageHeader, Section } from "../_components/page-parts";
import { RelativeTime } from "../_components/relative-time";
import { History } from "./history";
import styles from "./page.module.css";

/** For the operator of a server that fetches nothing. */
function TurnFetchingOn() {
  return (
    <>
      Fetching is off on this server, so vendors’ files are not updated. To turn it on, start the server with{" "}
      <code>CRON=on</code>, or see <Link href="/docs/jobs#how-jobs-are-started">Jobs</Link>.
    </>
  );
}

export const dynamic = "force-dynamic";
export const metadata: Metadata = pageHead("/status");

/** Why a job that calls the internet may never have run. */
const offNote = "on the embedded database, it only runs with CRON=on";

function Jobs({ jobs, now }: { jobs: readonly JobStatus[]; now: Date }) {
  const columns: readonly Column<JobStatus>[] = [
    { title: "Job", cell: ({ name }) => <code>{name}</code> },
    {
      title: "What it does",
      cell: ({ description, callsInternet, lastRun }) =>
        lastRun || !callsInternet ? description : `${description}; ${offNote}`,
    },
    { title: "Last run", cell: ({ lastRun }) => (lastRun ? <RelativeTime at={lastRun.at} now={now} /> : "never") },
    {
      title: "Status",
      cell: ({ lastRun }) => (lastRun ? <StatusBadge status={lastRun.status} /> : <Badge>not run yet</Badge>),
    },
  ];
  return <DataTable caption="Jobs" columns={columns} items={jobs} keyOf={({ name }) => name} stacks />;
}

const tones = { live: "good", down: "bad", unchecked: "plain" } as const;

const siteColumns: readonly Column<FleetHealth["members"][number]>[] = [
  { title: "Site", cell: ({ name, url }) => <a href={url}>{name}</a> },
  { title: "Health", cell: ({ state }) => <Badge tone={tones[state]}>{state}</Badge> },
];

function Counts({ stats, facts }: { stats: Stats; facts: VendorFacts }) {
  const { active, paused, unreachable } = stats.status_breakdown;
  const counts = [
    ["Active vendors", active - facts.unfetched],
    ["Not fetched yet", facts.unfetched],
    ["Paused", paused],
    ["Unreachable", unreachable],
    ["Versions", stats.snapshots],
    ["Changes", stats.diffs],
    ["Text stored", formatBytes(stats.total_bytes_tracked)],
  ] as const;
  return (
    <dl className={styles.counts}>
      {counts.map(([name, value]) => (
        <div key={name}>
          <dt className="caption">{name}</dt>
          <dd>{value.toLocaleString("en")}</dd>
        </div>
      ))}
    </dl>
  );
}

const databaseUnavailable = "The database isn’t responding. Replay still works without it.";

type HealthProps = { context: ProductContext; health: Awaited<ReturnType<typeof getHealth>> };

async function loadTracking({ context, health }: HealthProps) {
  const { database } = context;
  if (!health.db_connected) throw new AppError("service_unavailable", databaseUnavailable);
  return Promise.all([
    getJobStatuses({ database }),
    readHistory(database, context.clock.now()),
    getFleetHealth(context),
    getStats(context),
    getVendorFacts(context),
  ]);
}

async function Tracking(props: HealthProps) {
  const now = props.context.clock.now();
  const result = await loadData(() => loadTracking(props));
  if (!("data" in result)) {
    return <Notice title="Couldn’t load the jobs, sites and counts.">{result.error.message}</Notice>;
  }
  const [jobs, history, fleet, stats, facts] = result.data;
  const checked = fleet.checkedAt ? (
    <>
      Last checked <RelativeTime at={fleet.checkedAt} now={now} />.
    </>
  ) : (
    "Not checked yet: the job verify-fleet has not run."
  );
  return (
    <>
      <Section id="jobs" title="Jobs" hint="To see the results and errors of runs, use the API with a key.">
        <Jobs jobs={jobs} now={now} />
      </Section>
      <Section
        id="history"
        title="The last 90 days"
        hint="One mark for each day, in UTC. A day without a recorded run says nothing about the service: it may not have existed, or nothing was due. Fetching is ok on days on which at least 90 % of the fetches succeeded, because some files are always unreachable."
      >
        <History history={history} />
      </Section>
      <Section id="sites" title="Sites of the fleet" hint={checked}>
        <DataTable caption="Sites" columns={siteColumns} items={fleet.members} keyOf={({ slug }) => slug} stacks />
      </Section>
      <Section id="counts" title="Tracked data">
        <Counts stats={stats} facts={facts} />
      </Section>
    </>
  );
}

export default async function StatusPage() {
  const context = await getPageContext();
  const health = await getHealth(context);
  return (
    <>
      <PageHeader
        title="Status"
        lead={
          health.db_connected
            ? "The service and its database are up."
            : "The service is up, but not connected to a database."
        }
      >
        <Facts>
          <StatusBadge status="ok" />
          {`version ${health.version}`}
          {`database ${health.db_connected ? "connected" : "not connected"}`}
          <a href="/api/v1/health">View as JSON</a>
        </Facts>
      </PageHeader>
      {health.db_connected && <FetchingNotice context={context} off={<TurnFetchingOn />} />}
      <Tracking context={context} health={health} />
    </>
  );
}
