import { type DirectoryQuery, maxSearchLength, vendorCategories, vendorStatuses } from "#lib/tracking/vendors/index";
import { Button } from "../../_components/button";
import { Field } from "../../_components/field";
import { AutoSubmitForm } from "./auto-submit-form";
import styles from "./directory-filters.module.css";

type ChoiceProps = {
  name: string;
  label: string;
  value: string;
  choices: readonly (readonly [value: string, text: string])[];
};

function Choice({ name, label, value, choices }: ChoiceProps) {
  const id = `filter-${name}`;
  return (
    <Field id={id} label={label}>
      <select id={id} name={name} defaultValue={value}>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

const toChoices = (values: readonly string[]) => values.map((value) => [value, value] as const);
const sortChoices = [
  ["", "latest change"],
  ["name", "name"],
] as const;

/** The search and filters of the directory, set from the URL. */
export function DirectoryFilters({ query }: { query: DirectoryQuery }) {
  const { q, category, status, sort } = query;
  return (
    <AutoSubmitForm action="/vendors" label="Vendors" className={styles.filters}>
      <Field id="filter-q" label="Name or domain">
        <input id="filter-q" type="search" name="q" defaultValue={q} maxLength={maxSearchLength} autoComplete="off" />
      </Field>
      <Choice
        name="category"
        label="Category"
        value={category ?? ""}
        choices={[["", "all categories"], ...toChoices(vendorCategories)]}
      />
      <Choice
        name="status"
        label="Status"
        value={status ?? ""}
        choices={[["", "any status"], ...toChoices(vendorStatuses)]}
      />
      <Choice name="sort" label="Sort by" value={sort === "changed" ? "" : sort} choices={sortChoices} />
      <Button type="submit" variant="primary">
        Search
      </Button>
    </AutoSubmitForm>
  );
}
