-- AlterTable
ALTER TABLE "digests" ADD COLUMN     "mailbox_hash" CHAR(43),
ALTER COLUMN "account_id" DROP NOT NULL;

-- CreateIndex
CREATE INDEX "digests_mailbox_hash_idx" ON "digests"("mailbox_hash");
