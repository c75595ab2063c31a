-- CreateEnum
CREATE TYPE "digest_frequency" AS ENUM ('each', 'daily', 'weekly');

-- CreateEnum
CREATE TYPE "digest_status" AS ENUM ('pending', 'active', 'disabled');

-- CreateEnum
CREATE TYPE "digest_mail_status" AS ENUM ('pending', 'sent', 'failed', 'empty');

-- CreateTable
CREATE TABLE "digests" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "contact" TEXT NOT NULL,
    "frequency" "digest_frequency" NOT NULL,
    "status" "digest_status" NOT NULL DEFAULT 'pending',
    "filter_vendors" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "filter_categories" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "min_significance" SMALLINT,
    "confirm_hash" CHAR(64),
    "confirm_until" TIMESTAMPTZ(3),
    "confirmed_at" TIMESTAMPTZ(3),
    "unsubscribe_hash" CHAR(64) NOT NULL,
    "next_due_at" TIMESTAMPTZ(3) NOT NULL,
    "last_sent_at" TIMESTAMPTZ(3),
    "refused_count" INTEGER NOT NULL DEFAULT 0,
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "digests_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "digest_items" (
    "digest_id" UUID NOT NULL,
    "report_id" UUID NOT NULL,
    "mail_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "digest_items_pkey" PRIMARY KEY ("digest_id","report_id")
);

-- CreateTable
CREATE TABLE "digest_mails" (
    "id" UUID NOT NULL,
    "digest_id" UUID NOT NULL,
    "status" "digest_mail_status" NOT NULL DEFAULT 'pending',
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL,
    "lease_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "digest_mails_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "digests_confirm_hash_key" ON "digests"("confirm_hash");

-- CreateIndex
CREATE UNIQUE INDEX "digests_unsubscribe_hash_key" ON "digests"("unsubscribe_hash");

-- CreateIndex
CREATE INDEX "digests_account_id_id_idx" ON "digests"("account_id", "id");

-- CreateIndex
CREATE INDEX "digests_status_frequency_next_due_at_idx" ON "digests"("status", "frequency", "next_due_at");

-- CreateIndex
CREATE INDEX "digest_items_report_id_idx" ON "digest_items"("report_id");

-- CreateIndex
CREATE INDEX "digest_items_mail_id_idx" ON "digest_items"("mail_id");

-- CreateIndex
CREATE INDEX "digest_items_created_at_idx" ON "digest_items"("created_at");

-- CreateIndex
CREATE INDEX "digest_mails_status_next_attempt_at_idx" ON "digest_mails"("status", "next_attempt_at");

-- CreateIndex
CREATE INDEX "digest_mails_digest_id_status_idx" ON "digest_mails"("digest_id", "status");

-- CreateIndex
CREATE INDEX "digest_mails_finished_at_idx" ON "digest_mails"("finished_at");

-- AddForeignKey
ALTER TABLE "digests" ADD CONSTRAINT "digests_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "digest_items" ADD CONSTRAINT "digest_items_digest_id_fkey" FOREIGN KEY ("digest_id") REFERENCES "digests"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "digest_items" ADD CONSTRAINT "digest_items_report_id_fkey" FOREIGN KEY ("report_id") REFERENCES "reports"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "digest_items" ADD CONSTRAINT "digest_items_mail_id_fkey" FOREIGN KEY ("mail_id") REFERENCES "digest_mails"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "digest_mails" ADD CONSTRAINT "digest_mails_digest_id_fkey" FOREIGN KEY ("digest_id") REFERENCES "digests"("id") ON DELETE CASCADE ON UPDATE CASCADE;
