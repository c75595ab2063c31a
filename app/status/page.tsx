import type { Metadata } from "next";
import { type FleetHealth, getFleetHealth, getJobStatuses, type JobStatus } from "#lib/jobs/index";
import { AppError } from "#lib/platform/errors";
import { getHealth } from "#lib/server/health/index";
import { getStats, type Stats } from "#lib/tracking/vendors/index";
import { Badge, StatusBadge } from "../_components/badge";
import { DataTable } from "../_components/data-table";
import { Notice } from "../_components/notice";
import { getPageContext } from "../_components/page-context";
import { PageHeader } from "../_components/page-header";
import { RelativeTime } from "../_components/relative-time";
import { bytes } from "../vendors/_components/format-counts";
import { type Answer, ask } from "../vendors/_components/load-or-not-found";
import { Section } from "../vendors/_components/section";
import styles from "./page.module.css";

export const dynamic = "force-dynamic";
export const metadata: Metadata = {
  title: "Status",
  description: "Whether the service and its database answer, when its jobs ran, and how the sites of the family are.",
  alternates: { canonical: "/status" },
};

function Jobs({ jobs, now }: { jobs: readonly JobStatus[]; now: Date }) {
  const rows = jobs.map(({ name, description, lastRun }) => ({
    key: name,
    cells: {
      name: <code>{name}</code>,
      description,
      at: lastRun ? <RelativeTime at={lastRun.at} now={now} /> : "never",
      status: <span>{lastRun ? <StatusBadge status={lastRun.status} /> : <Badge>not run yet</Badge>}</span>,
    },
  }));
  const columns = [
    { key: "name", title: "Job" },
    { key: "description", title: "What it does" },
    { key: "at", title: "Last run" },
    { key: "status", title: "Status" },
  ];
  return <DataTable caption="Jobs" columns={columns} rows={rows} stacks />;
}

const tones = { live: "good", down: "bad", unchecked: "plain" } as const;

function Fleet({ fleet: { members } }: { fleet: FleetHealth }) {
  const rows = members.map(({ slug, name, url, state }) => ({
    key: slug,
    cells: {
      name: <a href={url}>{name}</a>,
      health: (
        <span>
          <Badge tone={tones[state]}>{state}</Badge>
        </span>
      ),
    },
  }));
  const columns = [
    { key: "name", title: "Site" },
    { key: "health", title: "Health" },
  ];
  return <DataTable caption="Sites" columns={columns} rows={rows} stacks />;
}

function Counts({ stats }: { stats: Stats }) {
  const { active, paused, unreachable } = stats.status_breakdown;
  const counts = [
    ["Active vendors", active],
    ["Paused", paused],
    ["Unreachable", unreachable],
    ["Versions", stats.snapshots],
    ["Changes", stats.diffs],
    ["Text stored", bytes(stats.total_bytes_tracked)],
  ] as const;
  return (
    <dl className={styles.counts}>
      {counts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value.toLocaleString("en")}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What is said where a database is configured that does not answer. */
const unreachable = "The database does not answer. Replay goes on without it.";

type Found = { jobs: JobStatus[]; fleet: FleetHealth; stats: Stats };

function Tracking({ answer, now }: { answer: Answer<Found>; now: Date }) {
  if (!("found" in answer)) {
    return (
      <Notice title="Jobs, sites and counts cannot be told.">
        <p>{answer.message}</p>
      </Notice>
    );
  }
  const { jobs, fleet, stats } = answer.found;
  const checked = fleet.checkedAt ? (
    <>
      Last asked <RelativeTime at={fleet.checkedAt} now={now} />.
    </>
  ) : (
    "Not asked yet: the job verify-fleet has not run."
  );
  return (
    <>
      <Section id="jobs" title="Jobs" hint="What each run formatCount, and why one failed, is for keys and operators.">
        <Jobs jobs={jobs} now={now} />
      </Section>
      <Section id="sites" title="Sites of the family" hint={checked}>
        <Fleet fleet={fleet} />
      </Section>
      <Section id="counts" title="What is tracked">
        <Counts stats={stats} />
      </Section>
    </>
  );
}

export default async function StatusPage() {
  const context = await getPageContext();
  const now = context.clock.now();
  const health = await getHealth(context);
  const answer = await ask<Found>(async () => {
    const { database } = context;
    if (!health.db_connected) throw new AppError("service_unavailable", unreachable);
    const [jobs, fleet, stats] = await Promise.all([
      getJobStatuses({ database }),
      getFleetHealth(context),
      getStats(context),
    ]);
    return { jobs, fleet, stats };
  });
  return (
    <>
      <PageHeader
        title="Status"
        lead={
          health.db_connected ? "The service and its database answer." : "The service answers, its database does not."
        }
        facts={[
          <StatusBadge key="service" status="ok" />,
          `version ${health.version}`,
          `database ${health.db_connected ? "connected" : "not connected"}`,
          <a key="api" href="/api/v1/health">
            as JSON
          </a>,
        ]}
      />
      <Tracking answer={answer} now={now} />
    </>
  );
}
