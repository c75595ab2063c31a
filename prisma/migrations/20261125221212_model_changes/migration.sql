-- CreateEnum
CREATE TYPE "vendor_reader" AS ENUM ('llms_txt', 'model_dates', 'model_prices');

-- AlterTable
ALTER TABLE "digests" ADD COLUMN     "filter_models" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "vendors" ADD COLUMN     "reader" "vendor_reader" NOT NULL DEFAULT 'llms_txt';

-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "filter_models" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "model_changes" (
    "id" UUID NOT NULL,
    "diff_id" UUID,
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "names" TEXT[],
    "field" TEXT NOT NULL,
    "before" JSONB,
    "after" JSONB,
    "significance" SMALLINT NOT NULL,
    "source" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "model_changes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "model_changes_diff_id_idx" ON "model_changes"("diff_id");

-- CreateIndex
CREATE INDEX "model_changes_names_idx" ON "model_changes" USING GIN ("names");

-- AddForeignKey
ALTER TABLE "model_changes" ADD CONSTRAINT "model_changes_diff_id_fkey" FOREIGN KEY ("diff_id") REFERENCES "diffs"("id") ON DELETE SET NULL ON UPDATE CASCADE;
