import { z } from "zod";

export const cronJobSchema = z
  .object({
    name: z.string(),
    last_run_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    status: z.enum(["running", "completed", "failed"]),
    summary: z.record(z.string(), z.number()).nullable().meta({ description: "Counts of the run, by name." }),
    error: z.string().nullable(),
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
    summary: z.record(z.string(), z.number()).meta({ description: "Counts of the run, by name." }),
  })
  .meta({ id: "CronRun", description: "A finished run." });
export type CronRunAnswer = z.infer<typeof cronRunSchema>;
