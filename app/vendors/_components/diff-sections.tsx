import { toVisible } from "#lib/tracking/diffs/index";
import type { ShownSections } from "#lib/tracking/intelligence/index";
import styles from "./diff-sections.module.css";

/** Sections that are named of each kind; more are formatCount. */
const maxNamedCount = 12;

const kinds = [
  ["added", "Sections added"],
  ["modified", "Sections changed"],
  ["removed", "Sections removed"],
] as const;

/** Whether a change touched any section. */
export function hasSections(sections: ShownSections | null | undefined): sections is ShownSections {
  return sections != null && kinds.some(([kind]) => sections[kind].length > 0);
}

/** The headings under which a change happened. */
export function DiffSections({ sections }: { sections: ShownSections }) {
  return (
    <dl className={styles.sections}>
      {kinds
        .filter(([kind]) => sections[kind].length > 0)
        .map(([kind, title]) => (
          <div key={kind}>
            <dt>{title}</dt>
            {sections[kind].slice(0, maxNamedCount).map((name) => (
              <dd key={name}>{toVisible(name)}</dd>
            ))}
            {sections[kind].length > maxNamedCount && (
              <dd className="muted">and {sections[kind].length - maxNamedCount} more</dd>
            )}
          </div>
        ))}
    </dl>
  );
}
