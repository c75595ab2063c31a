import type { ComponentProps, ReactNode } from "react";

type Texts = { hint?: string | undefined; error?: string | undefined };

/** Returns `aria-describedby` for the control of a field: the ids of its hint and its error. */
export function describedBy(id: string, { hint, error }: Texts): string | undefined {
  const ids = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean);
  return ids.length > 0 ? ids.join(" ") : undefined;
}

type Named = { id: string; label: string };

/** A control with label, hint and error. The control must have the same id. */
export function Field({ id, label, hint, error, children }: Texts & Named & { children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={id} className="caption">
        {label}
      </label>
      {children}
      {hint && (
        <p id={`${id}-hint`} className="caption">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="failed">
          {error}
        </p>
      )}
    </div>
  );
}

/** An input with label, hint and error. */
export function InputField({ id, label, hint, error, ...input }: Texts & Named & ComponentProps<"input">) {
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <input
        id={id}
        autoComplete="off"
        aria-invalid={error !== undefined}
        aria-describedby={describedBy(id, { hint, error })}
        {...input}
      />
    </Field>
  );
}

/** A value and its text, or a value that is its own text. */
type Choice = string | readonly [value: string, text: string];
type SelectProps = Named & { choices: readonly Choice[] };

/** A list of choices with a label. */
export function SelectField({ id, label, choices, ...select }: SelectProps & ComponentProps<"select">) {
  return (
    <Field id={id} label={label}>
      <select id={id} {...select}>
        {choices.map((choice) => {
          const [value, text] = typeof choice === "string" ? [choice, choice] : choice;
          return (
            <option key={value} value={value}>
              {text}
            </option>
          );
        })}
      </select>
    </Field>
  );
}

type FilterProps = {
  name: string;
  label: string;
  any: string;
  value: string | null | undefined;
  choices: readonly Choice[];
};

/** A filter of a list, which leaves out nothing by default. */
export function FilterField({ name, label, any, value, choices }: FilterProps) {
  return (
    <SelectField
      id={`filter-${name}`}
      name={name}
      label={label}
      defaultValue={value ?? ""}
      choices={[["", any], ...choices]}
    />
  );
}
