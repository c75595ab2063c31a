"use client";

import { Button } from "../../_components/button";
import styles from "./key.module.css";

type Props = {
  isBusy: boolean;
  label: string;
  /** Label of the button while a request is sent. */
  busyLabel: string;
  /** What the last request did. */
  result?: string | undefined;
  /** What is wrong; the form shows it at its field, and screen readers hear it here. */
  error?: string | undefined;
};

/** The end of a form: its button, and the result of the last request beside it. */
export function FormFooter({ isBusy, label, busyLabel, result, error }: Props) {
  return (
    <div className={styles.buttons}>
      <Button type="submit" disabled={isBusy}>
        {isBusy ? busyLabel : label}
      </Button>
      <p role="status" className={styles.note}>
        {result}
      </p>
      <p role="alert" className="visually-hidden">
        {error}
      </p>
    </div>
  );
}
