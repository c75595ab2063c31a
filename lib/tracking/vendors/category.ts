import type { VendorCategory } from "./schemas";

/** A category as the database's client writes it: with underscores. */
type StoredCategory = VendorCategory extends infer Category
  ? Category extends `${infer Head}-${infer Tail}`
    ? `${Head}_${Tail}`
    : Category
  : never;

export function storedCategory(category: VendorCategory): StoredCategory {
  return category.replace("-", "_") as StoredCategory;
}

export function categoryOf(stored: StoredCategory): VendorCategory {
  return stored.replace("_", "-") as VendorCategory;
}
