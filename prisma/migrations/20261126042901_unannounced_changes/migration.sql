-- CreateTable
CREATE TABLE "unannounced_changes" (
    "fetch_id" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "unannounced_changes_pkey" PRIMARY KEY ("fetch_id")
);
