-- AlterEnum
ALTER TYPE "vendor_origin" ADD VALUE 'account';

-- AlterTable
ALTER TABLE "vendors" ADD COLUMN     "paused_with_tier" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "vendors_llms_txt_url_idx" ON "vendors" USING HASH ("llms_txt_url");
