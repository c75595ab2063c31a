-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "used_on" DATE;
