-- AlterEnum
ALTER TYPE "vendor_reader" ADD VALUE 'openapi';

-- AlterTable
ALTER TABLE "digests" ADD COLUMN     "filter_operations" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "filter_operations" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "operation_changes" (
    "id" UUID NOT NULL,
    "diff_id" UUID NOT NULL,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "urls" TEXT[],
    "pattern" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "breaking" BOOLEAN NOT NULL,
    "doc_only" BOOLEAN NOT NULL,
    "differences" JSONB NOT NULL,
    "difference_count" INTEGER NOT NULL,
    "significance" SMALLINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "operation_changes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "operation_changes_diff_id_idx" ON "operation_changes"("diff_id");

-- AddForeignKey
ALTER TABLE "operation_changes" ADD CONSTRAINT "operation_changes_diff_id_fkey" FOREIGN KEY ("diff_id") REFERENCES "diffs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
