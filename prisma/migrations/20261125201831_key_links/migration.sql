-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "mailbox_hash" CHAR(43);

-- CreateTable
CREATE TABLE "key_links" (
    "mailbox_hash" CHAR(43) NOT NULL,
    "older_hashes" TEXT[],
    "token_hash" CHAR(64) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "key_links_pkey" PRIMARY KEY ("mailbox_hash")
);

-- CreateIndex
CREATE UNIQUE INDEX "key_links_token_hash_key" ON "key_links"("token_hash");

-- CreateIndex
CREATE INDEX "key_links_expires_at_idx" ON "key_links"("expires_at");

-- CreateIndex
CREATE INDEX "accounts_mailbox_hash_idx" ON "accounts"("mailbox_hash");
