import type { ReactNode } from "react";
import styles from "./field.module.css";

type Texts = { hint?: string; error?: string };

/** Returns `aria-describedby` for the control of a field: the ids of its hint and its error. */
export function describedBy(id: string, { hint, error }: Texts): string | undefined {
  const ids = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean);
  return ids.length > 0 ? ids.join(" ") : undefined;
}

type Props = Texts & { id: string; label: string; children: ReactNode };

/** A control with label, hint and error. The control must have the same id and `describedBy(id, { hint, error })`. */
export function Field({ id, label, hint, error, children }: Props) {
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children}
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className={styles.error}>
          {error}
        </p>
      )}
    </div>
  );
}
