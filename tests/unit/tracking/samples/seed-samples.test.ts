import path from "node:path";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { findLinks } from "#lib/tracking/diffs/index";
import { readSamples, type Sample, seedSamples } from "#lib/tracking/samples/seed-samples";
import { scoreSecurity } from "#lib/tracking/security/index";
import { hashText } from "#lib/tracking/snapshots/index";
import { itExtended } from "#tests/support/extended";
import { sharedDatabase } from "#tests/support/shared-database";

const dayMs = 24 * 60 * 60 * 1_000;
const samples = readSamples(path.join(import.meta.dirname, "../../../../content/vendors/samples"));

type Served = { daysAgo: number; text: string };

const servedBy = ({ events }: Sample): Served[] => events.filter((event) => "text" in event);
/** Returns the versions of a sample, without fetches of an unchanged file. */
const versionsOf = (sample: Sample) =>
  servedBy(sample).filter(({ text }, index, served) => text !== served[index - 1]?.text);
const sum = (count: (sample: Sample) => number) => samples.reduce((total, sample) => total + count(sample), 0);

const eventCount = sum(({ events }) => events.length);
const versionCount = sum((sample) => versionsOf(sample).length);

describe("the samples", () => {
  test("start 58 to 60 days ago and have several versions of each file", () => {
    for (const { vendor, ...sample } of samples) {
      const days = sample.events.map(({ daysAgo }) => daysAgo);
      expect(days[0], vendor.slug).toBeGreaterThanOrEqual(58);
      expect(days[0], vendor.slug).toBeLessThanOrEqual(60);
      expect(new Set(days).size, vendor.slug).toBe(days.length);
      expect(days.at(-1), vendor.slug).toBeLessThan(1);
      expect(versionsOf({ vendor, ...sample }).length, vendor.slug).toBeGreaterThanOrEqual(4);
    }
  });

  test("link only to reserved domains", () => {
    const hosts = samples.flatMap((sample) =>
      servedBy(sample).flatMap(({ text }) => [...findLinks(text)].map((link) => new URL(link).hostname)),
    );
    expect(hosts.length).toBeGreaterThan(0);
    expect(hosts.filter((host) => !/(?:\.example|^example\.com)$/.test(host))).toEqual([]);
  });

  test("are blocked by their security score once, and never in the latest version", () => {
    const scoresOf = (sample: Sample) =>
      versionsOf(sample).map(({ text }) => scoreSecurity(text, { domain: sample.vendor.domain }).score);
    const blocked = samples.filter((sample) => scoresOf(sample).some((score) => score >= 3));
    expect(blocked.map(({ vendor }) => vendor.slug)).toEqual(["keywarden"]);
    expect(samples.flatMap(scoresOf).filter((score) => score >= 3)).toHaveLength(1);
    for (const sample of samples) expect(scoresOf(sample).at(-1), sample.vendor.slug).toBeLessThan(3);
  });

  test("include a version that returns and a file that is unchanged", () => {
    const isBack = (sample: Sample) =>
      new Set(versionsOf(sample).map(({ text }) => text)).size < versionsOf(sample).length;
    expect(samples.filter(isBack).map(({ vendor }) => vendor.slug)).toEqual(["nimbusyard"]);
    expect(sum((sample) => servedBy(sample).length)).toBeGreaterThan(versionCount);
  });
});

describe("seeding the samples", () => {
  const now = new Date("2026-11-21T12:00:00.000Z");
  const database = sharedDatabase();

  const seed = (at: Date, some: readonly Sample[] = samples) =>
    seedSamples(
      { database: database.client, log: pino({ level: "silent" }), now: at, announceChanges: async () => {} },
      some,
    );
  const daysBefore = (days: number) => new Date(now.getTime() - days * dayMs);

  /** Everything that was stored, except the ids. */
  const readVendors = () =>
    database.client.vendor.findMany({
      orderBy: { slug: "asc" },
      select: {
        slug: true,
        name: true,
        status: true,
        origin: true,
        createdAt: true,
        lastFetchedAt: true,
        failureCount: true,
        failingSince: true,
        nextFetchAt: true,
        latestSnapshot: { select: { contentHash: true, fetchedAt: true } },
        latestDiff: { select: { createdAt: true } },
        snapshots: {
          orderBy: { createdAt: "asc" },
          select: { contentHash: true, securityScore: true, createdAt: true, fetchedAt: true },
        },
        diffs: {
          orderBy: { createdAt: "asc" },
          select: { linesAdded: true, linesRemoved: true, linesMoved: true, linksAdded: true, createdAt: true },
        },
        fetches: { orderBy: { createdAt: "asc" }, select: { outcome: true, httpStatus: true, createdAt: true } },
        statusChanges: { orderBy: { createdAt: "asc" }, select: { from: true, to: true, createdAt: true } },
      },
    });

  test("stores a snapshot of each version, a diff of each change and a record of each fetch, at their times", async () => {
    expect(await seed(now)).toBe(eventCount);
    const vendors = await readVendors();
    expect(vendors.map(({ slug }) => slug)).toEqual(samples.map(({ vendor }) => vendor.slug));
    for (const [index, sample] of samples.entries()) {
      const { snapshots, diffs, fetches, ...vendor } = vendors[index]!;
      const versions = versionsOf(sample);
      const stored = versions.map(({ daysAgo, text }) => [hashText(text), daysBefore(daysAgo)]);
      expect(snapshots.map(({ contentHash, createdAt }) => [contentHash, createdAt])).toEqual(stored);
      expect(diffs.map(({ createdAt }) => createdAt)).toEqual(stored.slice(1).map(([, at]) => at));
      expect(fetches.map(({ createdAt }) => createdAt)).toEqual(
        sample.events.map(({ daysAgo }) => daysBefore(daysAgo)),
      );
      expect(vendor).toMatchObject({
        origin: "sample",
        status: "active",
        failureCount: 0,
        createdAt: daysBefore(60),
        lastFetchedAt: daysBefore(sample.events.at(-1)?.daysAgo ?? 0),
        latestSnapshot: { contentHash: hashText(versions.at(-1)?.text ?? ""), fetchedAt: vendor.lastFetchedAt },
        latestDiff: { createdAt: diffs.at(-1)?.createdAt },
      });
    }
    expect(await database.client.snapshot.count()).toBe(versionCount);
    expect(await database.client.diff.count()).toBe(versionCount - samples.length);
    expect(await database.client.fetch.count()).toBe(eventCount);
  });

  test("makes only Hookloom unreachable after a day of failures, and active again", async () => {
    const vendors = await readVendors();
    const hookloom = vendors.find(({ slug }) => slug === "hookloom");
    expect(hookloom?.statusChanges).toEqual([
      { from: "active", to: "unreachable", createdAt: daysBefore(29.7) },
      { from: "unreachable", to: "active", createdAt: daysBefore(28) },
    ]);
    const failed = hookloom?.fetches.filter(({ outcome }) => outcome === "failed");
    expect(failed?.map(({ httpStatus }) => httpStatus)).toEqual([503, 503, 503, 503, 503]);
    expect(vendors.flatMap(({ statusChanges }) => statusChanges)).toHaveLength(2);
  });

  itExtended("results in the same state if it is interrupted and continued", async () => {
    const whole = await readVendors();
    await database.client.vendor.deleteMany();
    const cut = samples.map(({ vendor, events }) => ({ vendor, events: events.filter(({ daysAgo }) => daysAgo > 30) }));
    const cutCount = cut.reduce((total, { events }) => total + events.length, 0);
    expect(await seed(now, cut)).toBe(cutCount);
    expect(await seed(new Date(now.getTime() + dayMs / 24))).toBe(eventCount - cutCount);
    expect(await readVendors()).toEqual(whole);
  });

  test("replays nothing if the samples are seeded already, even days later and without the pruned fetch records", async () => {
    const whole = await readVendors();
    for (const days of [0, 3]) expect(await seed(new Date(now.getTime() + days * dayMs))).toBe(0);
    expect(await readVendors()).toEqual(whole);
    await database.client.fetch.deleteMany();
    expect(await seed(new Date(now.getTime() + 100 * dayMs))).toBe(0);
  });
});
