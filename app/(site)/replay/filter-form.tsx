import { Button } from "../../_components/button";
import { Field } from "../../_components/field";
import styles from "./filter-form.module.css";
import { type FilterName, type Filters, filterNames, filterValues } from "./filters";

const titles: Record<FilterName, string> = {
  vertical: "Vertical",
  end: "End",
  feature: "Contains",
  provenance: "Provenance",
};

const valueTexts: Record<string, string> = {
  all: "all",
  complete: "complete",
  error: "error",
  truncated: "cut off",
  tools: "tool calls",
};

/** The gallery's filters, as a form that works without JavaScript. */
export function FilterForm({ filters }: { filters: Filters }) {
  return (
    <form action="/replay" className={styles.form}>
      {filterNames.map((name) => (
        <Field key={name} id={name} label={titles[name]}>
          <select id={name} name={name} defaultValue={filters[name]}>
            {filterValues[name].map((value) => (
              <option key={value} value={value}>
                {valueTexts[value] ?? value.replace("-", " ")}
              </option>
            ))}
          </select>
        </Field>
      ))}
      <Button type="submit" variant="primary">
        Filter
      </Button>
    </form>
  );
}
