-- CreateTable
CREATE TABLE "run_days" (
    "job" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "completed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "work_done" INTEGER NOT NULL DEFAULT 0,
    "work_failed" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "run_days_pkey" PRIMARY KEY ("job","day")
);

-- CreateIndex
CREATE INDEX "run_days_day_idx" ON "run_days"("day");

-- The runs whose records are still kept. Those that have not ended are counted when they end.
INSERT INTO "run_days" ("job", "day", "completed", "failed", "work_done", "work_failed")
SELECT "job", ("started_at" AT TIME ZONE 'UTC')::date,
    count(*) FILTER (WHERE "status" = 'completed'),
    count(*) FILTER (WHERE "status" = 'failed'),
    COALESCE(sum(("summary" ->> 'changed')::int + ("summary" ->> 'unchanged')::int) FILTER (WHERE "job" = 'fetch-vendors'), 0),
    COALESCE(sum(("summary" ->> 'failed')::int) FILTER (WHERE "job" = 'fetch-vendors'), 0)
FROM "cron_runs"
WHERE "status" <> 'running'
GROUP BY 1, 2;
