import type { ReactNode } from "react";
import type { ChangeFilters } from "#lib/tracking/feed/index";
import { intelligenceCategories } from "#lib/tracking/report-categories/index";
import { Button } from "../../_components/button";
import { Field } from "../../_components/field";
import styles from "./change-filters.module.css";

const significances = [
  ["1", "any"],
  ["2", "2 and more"],
  ["3", "3 and more"],
  ["4", "4 and more"],
  ["5", "5"],
] as const;

type ControlProps = { name: string; label: string; children: (id: string) => ReactNode };

function Control({ name, label, children }: ControlProps) {
  const id = `filter-${name}`;
  return (
    <Field id={id} label={label}>
      {children(id)}
    </Field>
  );
}

/** The filters of the changes, set from the URL, as a form that works without JavaScript. */
export function ChangeFiltersForm({ filters }: { filters: ChangeFilters }) {
  const { vendor, category, min_significance: minimum, from, to } = filters;
  return (
    <search aria-label="Changes">
      <form action="/changes" className={styles.filters}>
        <Control name="vendor" label="Vendor (slug)">
          {(id) => <input id={id} name="vendor" defaultValue={vendor} maxLength={200} autoComplete="off" />}
        </Control>
        <Control name="category" label="Category">
          {(id) => (
            <select id={id} name="category" defaultValue={category ?? ""}>
              <option value="">all categories</option>
              {intelligenceCategories.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Control>
        <Control name="significance" label="Significance">
          {(id) => (
            <select id={id} name="min_significance" defaultValue={String(minimum)}>
              {significances.map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </Control>
        <Control name="from" label="From (UTC)">
          {(id) => <input id={id} type="date" name="from" defaultValue={from} />}
        </Control>
        <Control name="to" label="To (UTC)">
          {(id) => <input id={id} type="date" name="to" defaultValue={to} />}
        </Control>
        <Button type="submit" variant="primary">
          Filter
        </Button>
      </form>
    </search>
  );
}
