import { expect, it } from "vitest";
import { fetchingOf, scheduledJobs, workerJobs } from "#lib/jobs/index";

const DATABASE_URL = "postgres://127.0.0.1/tapedeck";

it("scheduled jobs access the internet only with DATABASE_URL set, or with CRON=on", () => {
  const names = (settings: Parameters<typeof scheduledJobs>[0]) => scheduledJobs(settings).map(({ name }) => name);
  expect(names({ CRON: undefined, DATABASE_URL: undefined })).toEqual([
    ...["analyze-changes", "deliver-webhooks", "verify-fleet", "prune"],
  ]);
  expect(names({ CRON: "on", DATABASE_URL: undefined })).toContain("fetch-vendors");
  expect(names({ CRON: undefined, DATABASE_URL })).toContain("fetch-vendors");
  expect(names({ CRON: "off", DATABASE_URL })).toEqual([]);
  const mail = { SMTP_URL: "smtp://127.0.0.1:25", BASE_URL: "https://a.example" };
  const from = { name: "", address: "a@b.example" };
  expect(names({ CRON: undefined, DATABASE_URL, ...mail, MAIL_FROM: from })).toContain("send-digests");
  const worker = workerJobs({ CRON: undefined, DATABASE_URL, ...mail, MAIL_FROM: from }, { isBesideServer: false });
  expect(worker.map(({ name }) => name)).toContain("send-digests");
  expect(names({ CRON: undefined, DATABASE_URL, ...mail })).not.toContain("send-digests");
});

it("the launcher knows that files are fetched, or that nobody fetches them", () => {
  expect(fetchingOf({ CRON: undefined, DATABASE_URL: undefined })).toBe("off");
  expect(fetchingOf({ CRON: "on", DATABASE_URL: undefined })).toBe("on");
  expect(fetchingOf({ CRON: undefined, DATABASE_URL })).toBe("on");
  expect(fetchingOf({ CRON: "off", DATABASE_URL })).toBe(undefined);
});

it("workers verify the fleet only if they know its address, and leave out what is of other queues", () => {
  const settings = { CRON: undefined, DATABASE_URL, BASE_URL: undefined };
  const names = (...args: Parameters<typeof workerJobs>) => workerJobs(...args).map(({ name }) => name);
  expect(names(settings, { isBesideServer: false })).not.toContain("verify-fleet");
  expect(names(settings, { isBesideServer: true })).toContain("verify-fleet");
  expect(names({ ...settings, BASE_URL: "https://a.example.com" }, { isBesideServer: false })).toContain(
    "verify-fleet",
  );
  expect(names(settings, { isBesideServer: true, queues: ["analyse"] })).toEqual(["analyze-changes"]);
});
