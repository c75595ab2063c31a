-- CreateTable
CREATE TABLE "notifications" (
    "id" BIGSERIAL NOT NULL,
    "topic" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "announced_lists" (
    "name" TEXT NOT NULL,
    "hash" CHAR(64) NOT NULL,

    CONSTRAINT "announced_lists_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "mcp_sessions" (
    "id" UUID NOT NULL,
    "limit_id" UUID,
    "subject" TEXT NOT NULL,
    "protocol_version" TEXT NOT NULL,
    "client" JSONB NOT NULL,
    "position" BIGINT NOT NULL,
    "stream_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mcp_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "mcp_subscriptions" (
    "session_id" UUID NOT NULL,
    "topic" TEXT NOT NULL,

    CONSTRAINT "mcp_subscriptions_pkey" PRIMARY KEY ("session_id","topic")
);

-- CreateTable
CREATE TABLE "mcp_answers" (
    "session_id" UUID NOT NULL,
    "request_id" TEXT NOT NULL,
    "message" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mcp_answers_pkey" PRIMARY KEY ("session_id","request_id")
);

-- CreateIndex
CREATE INDEX "notifications_topic_id_idx" ON "notifications"("topic", "id");

-- CreateIndex
CREATE INDEX "notifications_created_at_idx" ON "notifications"("created_at");

-- CreateIndex
CREATE INDEX "mcp_sessions_subject_last_seen_at_idx" ON "mcp_sessions"("subject", "last_seen_at");

-- CreateIndex
CREATE INDEX "mcp_sessions_last_seen_at_idx" ON "mcp_sessions"("last_seen_at");

-- AddForeignKey
ALTER TABLE "mcp_subscriptions" ADD CONSTRAINT "mcp_subscriptions_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "mcp_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "mcp_answers" ADD CONSTRAINT "mcp_answers_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "mcp_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;
