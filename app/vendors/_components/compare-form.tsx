import type { ComparePage } from "#lib/tracking/history/index";
import { Button } from "../../_components/button";
import { Field } from "../../_components/field";
import styles from "./compare-form.module.css";
import { formatBytes, formatMinute } from "./format-counts";

type Props = Pick<ComparePage, "choices" | "from" | "to"> & { slug: string };

const sides = [
  ["from", "From"],
  ["to", "To"],
] as const;

/** Chooses two versions to compare, as a form that works without JavaScript. */
export function CompareForm({ choices, slug, ...chosen }: Props) {
  return (
    <search aria-label="Two versions">
      <form action={`/vendors/${slug}/compare`} className={styles.form}>
        {sides.map(([name, label]) => (
          <Field key={name} id={`compare-${name}`} label={label}>
            <select id={`compare-${name}`} name={name} defaultValue={chosen[name]?.id}>
              {choices.map(({ id, createdAt, byteSize, replacedAt }) => (
                <option key={id} value={id}>
                  {formatMinute(createdAt)} UTC, {formatBytes(byteSize)}
                  {replacedAt === null ? " (latest)" : ""}
                </option>
              ))}
            </select>
          </Field>
        ))}
        <Button type="submit" variant="primary">
          Compare
        </Button>
      </form>
    </search>
  );
}
