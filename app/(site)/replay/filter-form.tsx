import { Button } from "../../_components/button";
import { Field } from "../../_components/field";
import styles from "./filter-form.module.css";
import { type FilterName, type Filters, filterNames, filterValues } from "./filters";

const titles: Record<FilterName, string> = {
  vertical: "Vertical",
  end: "Ends",
  feature: "Contains",
  provenance: "Provenance",
};

const words: Record<string, string> = {
  all: "all",
  complete: "complete",
  error: "with an error",
  truncated: "cut off",
  tools: "tool calls",
};

/** The gallery's filters as a form that needs no script. */
export function FilterForm({ filters }: { filters: Filters }) {
  return (
    <form action="/replay" className={styles.form}>
      {filterNames.map((name) => (
        <Field key={name} id={name} label={titles[name]}>
          <select id={name} name={name} defaultValue={filters[name]}>
            {filterValues[name].map((value) => (
              <option key={value} value={value}>
                {words[value] ?? value.replace("-", " ")}
              </option>
            ))}
          </select>
        </Field>
      ))}
      <Button type="submit" variant="primary">
        Show
      </Button>
    </form>
  );
}
