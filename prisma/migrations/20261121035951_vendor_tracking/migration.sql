-- CreateEnum
CREATE TYPE "account_tier" AS ENUM ('free', 'starter', 'pro', 'enterprise', 'enterprise_plus');

-- CreateEnum
CREATE TYPE "vendor_category" AS ENUM ('ai-platform', 'developer-tools', 'database', 'payments', 'cloud', 'data-analytics', 'integration', 'security');

-- CreateEnum
CREATE TYPE "vendor_status" AS ENUM ('active', 'paused', 'unreachable');

-- CreateEnum
CREATE TYPE "vendor_origin" AS ENUM ('catalogue', 'sample', 'operator');

-- CreateEnum
CREATE TYPE "fetch_outcome" AS ENUM ('changed', 'unchanged', 'not_modified', 'failed');

-- CreateEnum
CREATE TYPE "cron_run_status" AS ENUM ('running', 'completed', 'failed');

-- CreateTable
CREATE TABLE "accounts" (
    "id" UUID NOT NULL,
    "label" TEXT,
    "tier" "account_tier" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "limit_id" UUID NOT NULL,
    "hash" CHAR(64) NOT NULL,
    "last_four" CHAR(4) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "rotated_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "limit_windows" (
    "subject" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "limit_windows_pkey" PRIMARY KEY ("subject","day")
);

-- CreateTable
CREATE TABLE "vendors" (
    "id" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "category" "vendor_category" NOT NULL,
    "status" "vendor_status" NOT NULL DEFAULT 'active',
    "origin" "vendor_origin" NOT NULL,
    "is_public" BOOLEAN NOT NULL DEFAULT false,
    "llms_txt_url" TEXT NOT NULL,
    "llms_full_txt_url" TEXT,
    "account_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_fetch_at" TIMESTAMPTZ(3) NOT NULL,
    "claimed_run_id" UUID,
    "etag" TEXT,
    "last_modified" TEXT,
    "failure_count" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "last_fetched_at" TIMESTAMPTZ(3),
    "latest_snapshot_id" UUID,
    "latest_diff_id" UUID,

    CONSTRAINT "vendors_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "vendor_status_changes" (
    "id" UUID NOT NULL,
    "vendor_id" UUID NOT NULL,
    "from" "vendor_status" NOT NULL,
    "to" "vendor_status" NOT NULL,
    "reason" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "vendor_status_changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contents" (
    "hash" CHAR(64) NOT NULL,
    "compressed" BYTEA NOT NULL,
    "byte_size" INTEGER NOT NULL,

    CONSTRAINT "contents_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "snapshots" (
    "id" UUID NOT NULL,
    "vendor_id" UUID NOT NULL,
    "content_hash" CHAR(64) NOT NULL,
    "byte_size" INTEGER NOT NULL,
    "line_count" INTEGER NOT NULL,
    "link_count" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "fetched_at" TIMESTAMPTZ(3) NOT NULL,
    "http_status" INTEGER NOT NULL,
    "response_time_ms" INTEGER NOT NULL,
    "security_score" INTEGER NOT NULL,
    "security_findings" JSONB NOT NULL,

    CONSTRAINT "snapshots_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "diffs" (
    "id" UUID NOT NULL,
    "vendor_id" UUID NOT NULL,
    "previous_snapshot_id" UUID NOT NULL,
    "current_snapshot_id" UUID NOT NULL,
    "lines_added" INTEGER NOT NULL,
    "lines_removed" INTEGER NOT NULL,
    "lines_moved" INTEGER NOT NULL,
    "links_added" TEXT[],
    "links_removed" TEXT[],
    "exact" BOOLEAN NOT NULL,
    "compressed_text" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "diffs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "fetches" (
    "id" UUID NOT NULL,
    "vendor_id" UUID NOT NULL,
    "run_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "outcome" "fetch_outcome" NOT NULL,
    "failure" TEXT,
    "detail" TEXT,
    "http_status" INTEGER,
    "request_count" INTEGER NOT NULL,
    "response_time_ms" INTEGER,
    "byte_size" INTEGER,
    "snapshot_id" UUID,

    CONSTRAINT "fetches_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "cron_runs" (
    "id" UUID NOT NULL,
    "job" TEXT NOT NULL,
    "status" "cron_run_status" NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "summary" JSONB,
    "error" TEXT,

    CONSTRAINT "cron_runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "cron_leases" (
    "job" TEXT NOT NULL,
    "run_id" UUID NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "cron_leases_pkey" PRIMARY KEY ("job")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys"("hash");

-- CreateIndex
CREATE INDEX "api_keys_account_id_id_idx" ON "api_keys"("account_id", "id");

-- CreateIndex
CREATE INDEX "limit_windows_day_idx" ON "limit_windows"("day");

-- CreateIndex
CREATE UNIQUE INDEX "vendors_slug_key" ON "vendors"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "vendors_latest_snapshot_id_key" ON "vendors"("latest_snapshot_id");

-- CreateIndex
CREATE UNIQUE INDEX "vendors_latest_diff_id_key" ON "vendors"("latest_diff_id");

-- CreateIndex
CREATE INDEX "vendors_status_next_fetch_at_idx" ON "vendors"("status", "next_fetch_at");

-- CreateIndex
CREATE INDEX "vendors_claimed_run_id_idx" ON "vendors"("claimed_run_id");

-- CreateIndex
CREATE INDEX "vendors_account_id_slug_idx" ON "vendors"("account_id", "slug");

-- CreateIndex
CREATE INDEX "vendors_is_public_latest_snapshot_id_idx" ON "vendors"("is_public", "latest_snapshot_id");

-- CreateIndex
CREATE INDEX "vendor_status_changes_vendor_id_id_idx" ON "vendor_status_changes"("vendor_id", "id");

-- CreateIndex
CREATE INDEX "snapshots_vendor_id_id_idx" ON "snapshots"("vendor_id", "id");

-- CreateIndex
CREATE INDEX "snapshots_content_hash_idx" ON "snapshots"("content_hash");

-- CreateIndex
CREATE INDEX "snapshots_created_at_idx" ON "snapshots"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "diffs_current_snapshot_id_key" ON "diffs"("current_snapshot_id");

-- CreateIndex
CREATE INDEX "diffs_vendor_id_id_idx" ON "diffs"("vendor_id", "id");

-- CreateIndex
CREATE INDEX "diffs_previous_snapshot_id_idx" ON "diffs"("previous_snapshot_id");

-- CreateIndex
CREATE INDEX "fetches_vendor_id_id_idx" ON "fetches"("vendor_id", "id");

-- CreateIndex
CREATE INDEX "fetches_created_at_idx" ON "fetches"("created_at");

-- CreateIndex
CREATE INDEX "fetches_run_id_idx" ON "fetches"("run_id");

-- CreateIndex
CREATE INDEX "cron_runs_job_id_idx" ON "cron_runs"("job", "id");

-- CreateIndex
CREATE INDEX "cron_runs_started_at_idx" ON "cron_runs"("started_at");

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "vendors" ADD CONSTRAINT "vendors_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "vendors" ADD CONSTRAINT "vendors_latest_snapshot_id_fkey" FOREIGN KEY ("latest_snapshot_id") REFERENCES "snapshots"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "vendors" ADD CONSTRAINT "vendors_latest_diff_id_fkey" FOREIGN KEY ("latest_diff_id") REFERENCES "diffs"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "vendor_status_changes" ADD CONSTRAINT "vendor_status_changes_vendor_id_fkey" FOREIGN KEY ("vendor_id") REFERENCES "vendors"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_vendor_id_fkey" FOREIGN KEY ("vendor_id") REFERENCES "vendors"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_content_hash_fkey" FOREIGN KEY ("content_hash") REFERENCES "contents"("hash") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "diffs" ADD CONSTRAINT "diffs_vendor_id_fkey" FOREIGN KEY ("vendor_id") REFERENCES "vendors"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "diffs" ADD CONSTRAINT "diffs_previous_snapshot_id_fkey" FOREIGN KEY ("previous_snapshot_id") REFERENCES "snapshots"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "diffs" ADD CONSTRAINT "diffs_current_snapshot_id_fkey" FOREIGN KEY ("current_snapshot_id") REFERENCES "snapshots"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "fetches" ADD CONSTRAINT "fetches_vendor_id_fkey" FOREIGN KEY ("vendor_id") REFERENCES "vendors"("id") ON DELETE CASCADE ON UPDATE CASCADE;
