"use client";

import { useState } from "react";
import { Button } from "../../_components/button";
import { Notice } from "../../_components/notice";
import styles from "./key.module.css";
import type { Ask } from "./key-desk";

/** The payment provider's page for cards, invoices and cancellation, for whoever bought the key. */
export function Portal({ ask }: { ask: Ask }) {
  const [isOpening, setIsOpening] = useState(false);
  const [failure, setFailure] = useState<string>();
  const open = async () => {
    setIsOpening(true);
    setFailure(undefined);
    const answer = await ask<{ url: string }>("/api/v1/payment/portal", { method: "POST" });
    if (answer.ok) return location.assign(answer.data.url);
    setIsOpening(false);
    setFailure(answer.message);
  };
  return (
    <section className={styles.section} aria-labelledby="payment">
      <h2 id="payment">Payment</h2>
      <p>
        Cards, invoices, another tier and cancellation are on the payment provider's page. Opening it costs one request.
      </p>
      <p>
        <Button disabled={isOpening} onClick={open}>
          {isOpening ? "Opening…" : "Open the payment portal"}
        </Button>
      </p>
      {failure && (
        <Notice tone="error" title="The portal cannot be opened.">
          {failure}
        </Notice>
      )}
    </section>
  );
}
