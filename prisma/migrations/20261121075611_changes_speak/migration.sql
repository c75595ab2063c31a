-- CreateEnum
CREATE TYPE "analysis_mode" AS ENUM ('realtime', 'batch', 'full');

-- CreateEnum
CREATE TYPE "analyser_kind" AS ENUM ('rules', 'model');

-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('pending', 'delivered', 'dead', 'cancelled');

-- AlterTable
ALTER TABLE "diffs" ADD COLUMN     "analysed_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "reports" (
    "id" UUID NOT NULL,
    "vendor_id" UUID NOT NULL,
    "diff_id" UUID,
    "snapshot_id" UUID,
    "summary" TEXT NOT NULL,
    "significance" SMALLINT NOT NULL,
    "categories" TEXT[],
    "sections_added" TEXT[],
    "sections_removed" TEXT[],
    "sections_modified" TEXT[],
    "key_quotes" TEXT[],
    "byte_size_change_pct" DOUBLE PRECISION NOT NULL,
    "mode" "analysis_mode" NOT NULL,
    "analyser" "analyser_kind" NOT NULL,
    "analyser_version" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "reports_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model_answers" (
    "diff_id" UUID NOT NULL,
    "prompt_version" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "answer" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "model_answers_pkey" PRIMARY KEY ("diff_id","prompt_version","model")
);

-- CreateTable
CREATE TABLE "model_usages" (
    "day" DATE NOT NULL,
    "tokens" BIGINT NOT NULL,

    CONSTRAINT "model_usages_pkey" PRIMARY KEY ("day")
);

-- CreateTable
CREATE TABLE "model_batches" (
    "id" UUID NOT NULL,
    "provider_id" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "diff_ids" UUID[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "model_batches_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhooks" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "limit_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "active" BOOLEAN NOT NULL DEFAULT true,
    "secret" TEXT NOT NULL,
    "previous_secret" TEXT,
    "previous_secret_until" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),
    "deactivated_at" TIMESTAMPTZ(3),
    "deactivated_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_events" (
    "id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "report_id" UUID,
    "body" TEXT NOT NULL,
    "is_test" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "status" "delivery_status" NOT NULL DEFAULT 'pending',
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL,
    "lease_until" TIMESTAMPTZ(3),
    "lease_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_attempts" (
    "id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "http_status" INTEGER,
    "error" TEXT,
    "response_excerpt" TEXT,
    "duration_ms" INTEGER NOT NULL,

    CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "subscriptions" (
    "id" TEXT NOT NULL,
    "account_id" UUID NOT NULL,
    "customer_id" TEXT NOT NULL,
    "tier" "account_tier" NOT NULL,
    "status" TEXT NOT NULL,
    "cancel_at_period_end" BOOLEAN NOT NULL DEFAULT false,
    "current_period_end" TIMESTAMPTZ(3),
    "grace_until" TIMESTAMPTZ(3),
    "state_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "subscriptions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "checkouts" (
    "id" UUID NOT NULL,
    "session_id" TEXT,
    "tier" "account_tier" NOT NULL,
    "nonce_hash" CHAR(64) NOT NULL,
    "account_id" UUID,
    "fulfilled_at" TIMESTAMPTZ(3),
    "revealed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "checkouts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payment_events" (
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_events_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "reports_diff_id_key" ON "reports"("diff_id");

-- CreateIndex
CREATE INDEX "reports_vendor_id_id_idx" ON "reports"("vendor_id", "id");

-- CreateIndex
CREATE INDEX "reports_created_at_idx" ON "reports"("created_at");

-- CreateIndex
CREATE INDEX "reports_snapshot_id_idx" ON "reports"("snapshot_id");

-- CreateIndex
CREATE UNIQUE INDEX "model_batches_provider_id_key" ON "model_batches"("provider_id");

-- CreateIndex
CREATE INDEX "model_batches_ended_at_id_idx" ON "model_batches"("ended_at", "id");

-- CreateIndex
CREATE INDEX "webhooks_limit_id_active_id_idx" ON "webhooks"("limit_id", "active", "id");

-- CreateIndex
CREATE INDEX "webhooks_account_id_idx" ON "webhooks"("account_id");

-- CreateIndex
CREATE INDEX "webhook_events_created_at_idx" ON "webhook_events"("created_at");

-- CreateIndex
CREATE INDEX "webhook_events_report_id_idx" ON "webhook_events"("report_id");

-- CreateIndex
CREATE INDEX "webhook_deliveries_status_next_attempt_at_idx" ON "webhook_deliveries"("status", "next_attempt_at");

-- CreateIndex
CREATE INDEX "webhook_deliveries_webhook_id_id_idx" ON "webhook_deliveries"("webhook_id", "id");

-- CreateIndex
CREATE INDEX "webhook_deliveries_event_id_idx" ON "webhook_deliveries"("event_id");

-- CreateIndex
CREATE INDEX "webhook_attempts_delivery_id_id_idx" ON "webhook_attempts"("delivery_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "subscriptions_account_id_key" ON "subscriptions"("account_id");

-- CreateIndex
CREATE INDEX "subscriptions_customer_id_idx" ON "subscriptions"("customer_id");

-- CreateIndex
CREATE INDEX "subscriptions_grace_until_idx" ON "subscriptions"("grace_until");

-- CreateIndex
CREATE UNIQUE INDEX "checkouts_session_id_key" ON "checkouts"("session_id");

-- CreateIndex
CREATE INDEX "checkouts_created_at_idx" ON "checkouts"("created_at");

-- CreateIndex
CREATE INDEX "checkouts_account_id_idx" ON "checkouts"("account_id");

-- CreateIndex
CREATE INDEX "payment_events_received_at_idx" ON "payment_events"("received_at");

-- CreateIndex
CREATE INDEX "diffs_created_at_idx" ON "diffs"("created_at");

-- CreateIndex
CREATE INDEX "diffs_analysed_at_id_idx" ON "diffs"("analysed_at", "id");

-- AddForeignKey
ALTER TABLE "reports" ADD CONSTRAINT "reports_vendor_id_fkey" FOREIGN KEY ("vendor_id") REFERENCES "vendors"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reports" ADD CONSTRAINT "reports_diff_id_fkey" FOREIGN KEY ("diff_id") REFERENCES "diffs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reports" ADD CONSTRAINT "reports_snapshot_id_fkey" FOREIGN KEY ("snapshot_id") REFERENCES "snapshots"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_answers" ADD CONSTRAINT "model_answers_diff_id_fkey" FOREIGN KEY ("diff_id") REFERENCES "diffs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_events" ADD CONSTRAINT "webhook_events_report_id_fkey" FOREIGN KEY ("report_id") REFERENCES "reports"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "webhook_events"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "webhook_deliveries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
