-- CreateEnum
CREATE TYPE "webhook_format" AS ENUM ('json', 'slack', 'discord', 'teams');

-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "format" "webhook_format" NOT NULL DEFAULT 'json';
