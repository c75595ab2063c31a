"use client";

import { InputField, SelectField } from "../../_components/field";
import styles from "./key.module.css";

/** What a change must match to be sent, in the API's format. */
export type ChangeFilters = { vendors?: string[]; categories?: string[]; min_significance?: number };

/** The fields as they are typed in. */
export type FilterValues = { vendors: string; categories: readonly string[]; minSignificance: string };
export const noFilters: FilterValues = { vendors: "", categories: [], minSignificance: "" };

/** Returns the filters in the API's format; undefined without any. */
export function toFilters({ vendors, categories, minSignificance }: FilterValues): ChangeFilters | undefined {
  const slugs = vendors.split(/[\s,]+/).filter(Boolean);
  const filters = {
    ...(slugs.length > 0 && { vendors: slugs }),
    ...(categories.length > 0 && { categories: [...categories] }),
    ...(minSignificance && { min_significance: Number(minSignificance) }),
  };
  return Object.keys(filters).length > 0 ? filters : undefined;
}

/** Returns filters in the API's format as they are typed in. Webhooks get events from significance 4 on only. */
export function fromFilters({ vendors = [], categories = [], min_significance: minimum }: ChangeFilters): FilterValues {
  return { vendors: vendors.join(", "), categories, minSignificance: minimum === 5 ? "5" : "" };
}

/** Describes filters in one line. */
export function describeFilters({ vendors, categories, min_significance: minimum }: ChangeFilters): string {
  return [
    vendors && `vendors ${vendors.join(", ")}`,
    categories && `categories ${categories.join(", ")}`,
    minimum && (minimum === 5 ? "significance 5" : `significance ${minimum} to 5`),
  ]
    .filter(Boolean)
    .join("; ");
}

type Props = {
  /** Start of the ids of the controls. */
  id: string;
  values: FilterValues;
  categories: readonly string[];
  /** The choices of the least significance. */
  significances: readonly (readonly [value: string, text: string])[];
  onChange: (values: FilterValues) => void;
};

const hint = "Slugs, separated by commas. Default: every vendor.";

/** Fields for the filters of changes. A change must match all of them. */
export function FilterFields({ id, values, categories, significances, onChange }: Props) {
  const toggle = (category: string, isChosen: boolean) => {
    const others = values.categories.filter((name) => name !== category);
    onChange({ ...values, categories: isChosen ? [...others, category] : others });
  };
  return (
    <>
      <InputField
        id={`${id}-vendors`}
        label="Vendors"
        hint={hint}
        type="text"
        value={values.vendors}
        onChange={({ target }) => onChange({ ...values, vendors: target.value })}
      />
      <fieldset className={`${styles.choices} ${styles.columns}`}>
        <legend>Categories (default: every category)</legend>
        {categories.map((category) => (
          <label key={category}>
            <input
              type="checkbox"
              checked={values.categories.includes(category)}
              onChange={({ target }) => toggle(category, target.checked)}
            />{" "}
            {category}
          </label>
        ))}
      </fieldset>
      <SelectField
        id={`${id}-significance`}
        label="Significance"
        choices={significances}
        value={values.minSignificance}
        onChange={({ target }) => onChange({ ...values, minSignificance: target.value })}
      />
    </>
  );
}

/** The fields of a form in which filters are optional, folded at first. */
export function OptionalFilters(props: Props) {
  return (
    <details className={styles.filters}>
      <summary>Only some changes</summary>
      <div className={styles.form}>
        <FilterFields {...props} />
      </div>
    </details>
  );
}
