"use client";

import { type FormEvent, useRef } from "react";
import { Button } from "../../_components/button";

/** A form that works without JavaScript. With it, a double click sends only once: a second response has no key. */
export function RevealForm({ sessionId }: { sessionId: string }) {
  const isSent = useRef(false);
  const sendOnce = (event: FormEvent) => {
    if (isSent.current) event.preventDefault();
    isSent.current = true;
  };
  return (
    <form method="post" action="/api/v1/payment/reveal" onSubmit={sendOnce}>
      <input type="hidden" name="session_id" value={sessionId} />
      <Button type="submit" variant="primary">
        Show my key
      </Button>
    </form>
  );
}
