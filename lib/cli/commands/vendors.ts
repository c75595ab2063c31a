import { type Command, Option } from "commander";
import { fetchVendorsJob, fetchVendorsWork, runJob } from "#lib/jobs/index";
import { systemClock } from "#lib/platform/clock";
import { commandLine } from "#lib/platform/command-line";
import type { Database } from "#lib/platform/database/index";
import { systemIds } from "#lib/platform/ids";
import { printable } from "#lib/platform/printable";
import {
  getHistory,
  listOperatorVendors,
  type ManageContext,
  type OperatorVendor,
  pauseVendor,
  removeVendor,
  requireFetchable,
  requireRemovable,
  requireVendor,
  resumeVendor,
  type VendorHistory,
  type VendorStatus,
  vendorStatuses,
} from "#lib/tracking/vendors/index";
import { parseLimit } from "../arguments";
import { cronContext } from "../cron-context";
import { CommandFailure } from "../failure";
import { type CommandIo, writeJson } from "../io";
import { withDatabase } from "../launcher/open-database";
import { withStopSignal } from "../stop-signal";
import { addAddCommand, addFileCommands } from "./vendors-input";

export function addVendorsCommand(program: Command, io: CommandIo): void {
  const vendors = program.command("vendors").description("manage the tracked vendors");
  addListCommand(vendors, io);
  addAddCommand(vendors, io);
  addStatusCommands(vendors, io);
  addFetchCommand(vendors, io);
  addHistoryCommand(vendors, io);
  addFileCommands(vendors, io);
}

function vendorLine(vendor: OperatorVendor): string {
  const { slug, status, category, origin, isPublic, failureCount, lastFetchedAt, latestSnapshot } = vendor;
  const fetched = lastFetchedAt ? lastFetchedAt.toISOString().slice(0, 16) : "never fetched   ";
  const size = latestSnapshot ? `${latestSnapshot.byteSize} B` : "-";
  const marks = [isPublic ? "public" : "", origin, failureCount > 0 ? `${failureCount} failures` : ""].filter(Boolean);
  const columns = [slug.padEnd(24), status.padEnd(11), category.padEnd(15), fetched, size.padStart(10)];
  return `${columns.join("  ")}  ${marks.join(", ")}\n`;
}

function addListCommand(vendors: Command, io: CommandIo): void {
  vendors
    .command("list")
    .description("list the vendors with their status and last successful fetch")
    .addOption(new Option("--status <status>", "only vendors with this status").choices(vendorStatuses))
    .option("--json", "print JSON")
    .action(async ({ status, json }: { status?: VendorStatus; json?: boolean }) => {
      const rows = await withDatabase((database) => listOperatorVendors({ database }, { status }));
      if (json) writeJson(io, rows);
      else if (rows.length === 0) io.stdout.write(`No vendors. Add the catalogue: ${commandLine("seed")}\n`);
      else for (const row of rows) io.stdout.write(vendorLine(row));
    });
}

function addStatusCommands(vendors: Command, io: CommandIo): void {
  type Verb = (context: ManageContext, input: { slug: string }) => Promise<void>;
  type Check = (database: Database, slug: string) => Promise<unknown>;
  const act =
    (verb: Verb, result: string, check: Check = requireVendor) =>
    (slugs: string[]) =>
      withDatabase(async (database) => {
        // A misspelt slug changes nothing.
        for (const slug of slugs) await check(database, slug);
        for (const slug of new Set(slugs)) {
          await verb({ clock: systemClock, ids: systemIds, database }, { slug });
          io.stdout.write(`${slug} ${result}.\n`);
        }
      });
  vendors
    .command("pause")
    .description("stop fetching vendors; their history is kept")
    .argument("<slug...>", "the vendors")
    .action(act(pauseVendor, "is paused"));
  vendors
    .command("resume")
    .description("fetch paused vendors again, starting with the next run")
    .argument("<slug...>", "the vendors")
    .action(act(resumeVendor, "is active again"));
  vendors
    .command("remove")
    .description("delete vendors with their history, which cannot be restored")
    .argument("<slug...>", "the vendors")
    .action(act(removeVendor, "is removed", requireRemovable));
}

function addFetchCommand(vendors: Command, io: CommandIo): void {
  vendors
    .command("fetch")
    .description("fetch vendors now, whether they are due or not; counts as a run of fetch-vendors")
    .argument("<slug...>", "the vendors")
    .option("--json", "print JSON")
    .action(async (slugs: string[], { json }: { json?: boolean }) => {
      const outcomes: Record<string, string> = {};
      const work = fetchVendorsWork([...new Set(slugs)], ({ slug }, outcome) => {
        outcomes[slug] = outcome;
        if (!json) io.stdout.write(`${slug.padEnd(24)}  ${outcome}\n`);
      });
      const { summary, failures } = await withStopSignal((signal) =>
        withDatabase(async (database) => {
          await requireFetchable(database, slugs);
          const { summary } = await runJob(cronContext(database), fetchVendorsJob, { signal, work });
          const failures: Record<string, Pick<FetchRow, "failure" | "detail"> | null> = {};
          for (const slug of Object.keys(outcomes).filter((slug) => outcomes[slug] === "failed")) {
            const [latest] = (await getHistory({ database }, { slug, limit: 1 })).fetches;
            failures[slug] = latest ? { failure: latest.failure, detail: latest.detail } : null;
          }
          return { summary, failures };
        }),
      );
      if (json) writeJson(io, { outcomes, failures, summary });
      const reasons = Object.entries(failures).map(([slug, fetch]) => `\n${slug}${fetch ? reasonOf(fetch) : ""}`);
      if (reasons.length > 0) throw new CommandFailure(`${reasons.length} failed:${reasons.join("")}`);
    });
}

type FetchRow = VendorHistory["fetches"][number];

/** Returns why a fetch failed, with leading spaces; empty if it did not. */
function reasonOf({ failure, detail }: Pick<FetchRow, "failure" | "detail">): string {
  return failure === null ? "" : `  ${failure}: ${printable(detail ?? "")}`;
}

function fetchLine(fetch: FetchRow): string {
  const { createdAt, outcome, httpStatus, responseTimeMs, byteSize } = fetch;
  const measures = [
    httpStatus === null ? "" : `HTTP ${httpStatus}`,
    responseTimeMs === null ? "" : `${responseTimeMs} ms`,
    byteSize === null ? "" : `${byteSize} B`,
  ].filter(Boolean);
  return `${createdAt.toISOString()}  ${outcome.padEnd(12)}  ${measures.join(", ")}${reasonOf(fetch)}\n`;
}

function findingLine({ detector, points, line, excerpt }: VendorHistory["securityFindings"][number]): string {
  return `line ${String(line).padStart(5)}  ${points} points  ${detector.padEnd(24)}  ${printable(excerpt)}\n`;
}

function statusLine({ createdAt, from, to, reason }: VendorHistory["statusChanges"][number]): string {
  return `${createdAt.toISOString()}  ${from} -> ${to}  ${printable(reason)}\n`;
}

function addHistoryCommand(vendors: Command, io: CommandIo): void {
  vendors
    .command("history")
    .description("show a vendor's fetches and status changes, newest first")
    .argument("<slug>", "the vendor")
    .option("--limit <count>", "maximum number of each", parseLimit(1_000), 20)
    .option("--json", "print JSON")
    .action(async (slug: string, { limit, json }: { limit: number; json?: boolean }) => {
      const history = await withDatabase((database) => getHistory({ database }, { slug, limit }));
      if (json) {
        writeJson(io, history);
        return;
      }
      const { vendor, securityFindings, fetches, statusChanges } = history;
      io.stdout.write(vendorLine(vendor));
      io.stdout.write(`${vendor.llmsTxtUrl}\nnext fetch ${vendor.nextFetchAt.toISOString()}\n`);
      if (securityFindings.length > 0) {
        const score = vendor.latestSnapshot?.securityScore;
        io.stdout.write(`\nSecurity score ${score} of 5\n${securityFindings.map(findingLine).join("")}`);
      }
      if (statusChanges.length > 0) io.stdout.write(`\nStatus\n${statusChanges.map(statusLine).join("")}`);
      io.stdout.write(`\nFetches\n${fetches.map(fetchLine).join("") || "none yet\n"}`);
    });
}
