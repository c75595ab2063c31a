import * as z from "zod";

/** Days of the history, with today. Records of runs are kept as long. */
export const historyDays = 90;

const runCount = z.int().min(0);
const runDaySchema = z
  .object({
    day: z.iso.date().describe("Day in UTC on which the runs started."),
    completed: runCount.describe("Runs that completed."),
    failed: runCount.describe("Runs that failed, or whose process ended."),
  })
  .meta({ id: "RunDay", description: "The ended runs of a job on a day." });

export const cronStatusQuerySchema = z.object({
  include: z
    .literal("history", { error: 'can only be "history"' })
    .optional()
    .describe(`\`history\` adds the days of the last ${historyDays} to each job.`),
});

export const cronJobSchema = z
  .object({
    name: z.string(),
    last_run_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    status: z.enum(["running", "completed", "failed"]),
    summary: z.record(z.string(), z.number()).nullable().describe("Counts of the run, by name."),
    error: z.string().nullable(),
    history: z
      .array(runDaySchema)
      .max(historyDays)
      .optional()
      .describe(`Days on which runs ended, oldest first, of the last ${historyDays}; only with \`include=history\`.`),
  })
  .meta({ id: "CronJob", description: "The latest run of a job." });

export const cronStatusSchema = z
  .object({ jobs: z.array(cronJobSchema) })
  .meta({ id: "CronStatus", description: "The latest run of each job that has run." });
export type CronStatus = z.infer<typeof cronStatusSchema>;

export const cronRunSchema = z
  .object({
    job: z.string(),
    run_id: z.uuid(),
    summary: z.record(z.string(), z.number()).describe("Counts of the run, by name."),
  })
  .meta({ id: "CronRun", description: "A finished run." });
export type CronRunAnswer = z.infer<typeof cronRunSchema>;
