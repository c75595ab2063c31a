"use client";

import { InputField, SelectField } from "../../_components/field";
import { textOf } from "./actions";
import styles from "./key.module.css";

/** What a change must match to be sent, in the API's format. */
export type ChangeFilters = {
  vendors?: string[];
  models?: string[];
  operations?: string[];
  categories?: string[];
  min_significance?: number;
};

/** The filters that are typed, and what divides their values. Names of models have spaces, and paths of operations commas. */
const dividers = { vendors: /[\s,]+/, models: /\s*,\s*/, operations: /\s*,(?=\s*[A-Za-z]+\s)\s*/ };

/** Returns the filters of a form; undefined without any. */
export function readFilters(form: FormData): ChangeFilters | undefined {
  const typed = Object.entries(dividers).map(
    ([name, divider]) => [name, textOf(form, name).split(divider).filter(Boolean)] as const,
  );
  const categories = form.getAll("categories").map(String);
  const minimum = Number(textOf(form, "min_significance"));
  const filters = {
    ...Object.fromEntries(typed.filter(([, values]) => values.length > 0)),
    ...(categories.length > 0 && { categories }),
    ...(minimum > 0 && { min_significance: minimum }),
  };
  return Object.keys(filters).length > 0 ? filters : undefined;
}

/** Describes filters in one line. */
export function describeFilters(filters: ChangeFilters): string {
  const { vendors, models, operations, categories, min_significance: minimum } = filters;
  return [
    vendors && `vendors ${vendors.join(", ")}`,
    [models && `models ${models.join(", ")}`, operations?.join(", ")].filter(Boolean).join(" or "),
    categories && `categories ${categories.join(", ")}`,
    minimum && (minimum === 5 ? "significance 5" : `significance ${minimum} to 5`),
  ]
    .filter(Boolean)
    .join("; ");
}

type Props = {
  /** Start of the ids of the controls. */
  id: string;
  filters?: ChangeFilters;
  categories: readonly string[];
  /** The choices of the least significance. */
  significances: readonly (readonly [value: string, text: string])[];
};

const hint = "Slugs, separated by commas. Default: every vendor.";
const modelsHint = "Ids, separated by commas: only changes of these models, or of the operations below.";
const operationsHint = "Calls of an API, such as POST api.openai.com/v1/responses, separated by commas.";

/** Fields for the filters of changes. A change must match all of them, but only one of models and operations. */
export function FilterFields({ id, filters = {}, categories, significances }: Props) {
  const { vendors = [], models = [], operations = [], categories: chosen = [], min_significance: minimum } = filters;
  return (
    <>
      <InputField id={`${id}-vendors`} name="vendors" label="Vendors" hint={hint} defaultValue={vendors.join(", ")} />
      <InputField id={`${id}-models`} name="models" label="Models" hint={modelsHint} defaultValue={models.join(", ")} />
      <InputField
        id={`${id}-operations`}
        name="operations"
        label="Operations"
        hint={operationsHint}
        defaultValue={operations.join(", ")}
      />
      <fieldset className={styles.choices}>
        <legend className="caption">Categories (default: every category)</legend>
        {categories.map((category) => (
          <label key={category}>
            <input type="checkbox" name="categories" value={category} defaultChecked={chosen.includes(category)} />{" "}
            {category}
          </label>
        ))}
      </fieldset>
      <SelectField
        id={`${id}-significance`}
        name="min_significance"
        label="Significance"
        choices={significances}
        defaultValue={significances.some(([value]) => value === String(minimum)) ? minimum : ""}
      />
    </>
  );
}

/** The fields of a form in which filters are optional, folded at first. */
export function OptionalFilters(props: Props) {
  return (
    <details>
      <summary>Only some changes</summary>
      <div className={`${styles.filters} stack`}>
        <FilterFields {...props} />
      </div>
    </details>
  );
}
