-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "filter_categories" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "filter_vendors" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "min_significance" SMALLINT;
