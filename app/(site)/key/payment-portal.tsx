"use client";

import { useState } from "react";
import { Button } from "../../_components/button";
import { Notice } from "../../_components/notice";
import type { SendRequest } from "./api-request";
import styles from "./key.module.css";

/** Opens the payment provider's portal for cards, invoices and cancellation, if the key was bought. */
export function PaymentPortal({ sendRequest }: { sendRequest: SendRequest }) {
  const [isOpening, setIsOpening] = useState(false);
  const [failure, setFailure] = useState<string>();
  const openPortal = async () => {
    setIsOpening(true);
    setFailure(undefined);
    const result = await sendRequest<{ url: string }>("/api/v1/payment/portal", { method: "POST" });
    if (result.ok) return location.assign(result.data.url);
    setIsOpening(false);
    setFailure(result.message);
  };
  return (
    <section className={styles.section} aria-labelledby="payment">
      <h2 id="payment">Payment</h2>
      <p>
        Manage cards, invoices, tier changes and cancellation on the payment provider's page. Opening it uses one
        request.
      </p>
      <p>
        <Button disabled={isOpening} onClick={openPortal}>
          {isOpening ? "Opening…" : "Open the payment portal"}
        </Button>
      </p>
      {failure && (
        <Notice tone="error" title="Couldn’t open the payment portal.">
          {failure}
        </Notice>
      )}
    </section>
  );
}
