-- CreateTable
CREATE TABLE "search_misses" (
    "query" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "last_day" DATE NOT NULL,

    CONSTRAINT "search_misses_pkey" PRIMARY KEY ("query")
);
