"use client";

import { Button } from "./button";
import styles from "./failure.module.css";
import { Notice } from "./notice";

/** A page that failed: what happened is in the log, and what to do is here. */
export function Failure({ digest, retry }: { digest?: string; retry: () => void }) {
  return (
    <section className={styles.failure}>
      <h1>This page failed.</h1>
      <Notice tone="error">
        The failure is logged. Trying again often helps; if it does not, tell the operator of this site
        {digest ? ` the number ${digest}` : " what you did"}.
      </Notice>
      <p>
        <Button variant="primary" onClick={retry}>
          Try again
        </Button>
      </p>
    </section>
  );
}
