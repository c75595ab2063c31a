-- CreateTable
CREATE TABLE "robots_rules" (
    "origin" TEXT NOT NULL,
    "rules" JSONB NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "robots_rules_pkey" PRIMARY KEY ("origin")
);
