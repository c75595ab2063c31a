"use client";

import { useActionState } from "react";
import { Button } from "../../../../_components/button";
import { describedBy, Field } from "../../../../_components/field";
import { type Edited, saveAnswer } from "./edit-answer";
import styles from "./page.module.css";

/** The answer of a cassette as text that can be changed and saved. */
export function AnswerEditor({ id, text, version }: { id: string; text: string; version: string }) {
  const [edited, submit, isSaving] = useActionState<Edited, FormData>(saveAnswer, { text });
  const { error, isSaved } = edited;
  const hint = "The stream keeps its times. Recorded turns that repeat the old answer no longer follow it.";
  return (
    <form action={submit} className="stack">
      {/* Next does not answer a form without scripts whose action has bound arguments. */}
      <input type="hidden" name="id" value={id} />
      <input type="hidden" name="version" value={version} />
      <Field id="answer" label="Texts, tool inputs and status, as YAML" hint={hint} error={error}>
        <textarea
          key={version}
          id="answer"
          name="text"
          rows={12}
          className={styles.editor}
          spellCheck={false}
          defaultValue={error === undefined ? text : edited.text}
          aria-invalid={error !== undefined}
          aria-describedby={describedBy("answer", { hint, error })}
        />
      </Field>
      <div>
        <Button type="submit" disabled={isSaving}>
          Save the answer
        </Button>{" "}
        <span role="status">{isSaved && !isSaving && "Saved."}</span>
      </div>
    </form>
  );
}
