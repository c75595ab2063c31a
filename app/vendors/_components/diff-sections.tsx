import { toVisible } from "#lib/tracking/diffs/index";
import type { PublicSections } from "#lib/tracking/intelligence/index";
import styles from "./diff-sections.module.css";

/** Maximum number of sections listed per kind; the rest is counted. */
const maxNamedCount = 12;

const kinds = [
  ["added", "Sections added"],
  ["modified", "Sections changed"],
  ["removed", "Sections removed"],
] as const;

/** Whether a change affected any section. */
export function hasSections(sections: PublicSections | null | undefined): sections is PublicSections {
  return sections != null && kinds.some(([kind]) => sections[kind].length > 0);
}

/** The sections that a change added, modified or removed. */
export function DiffSections({ sections }: { sections: PublicSections }) {
  return (
    <dl className={styles.sections}>
      {kinds
        .filter(([kind]) => sections[kind].length > 0)
        .map(([kind, title]) => (
          <div key={kind}>
            <dt>{title}</dt>
            {sections[kind].slice(0, maxNamedCount).map((name) => (
              <dd key={name} dir="auto">
                {toVisible(name)}
              </dd>
            ))}
            {sections[kind].length > maxNamedCount && (
              <dd className="muted">and {sections[kind].length - maxNamedCount} more</dd>
            )}
          </div>
        ))}
    </dl>
  );
}
