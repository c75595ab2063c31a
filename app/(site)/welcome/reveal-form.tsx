"use client";

import { type FormEvent, useRef } from "react";

/** A plain form, which needs no script. With one, a double click does not ask twice: the second answer has no key. */
export function RevealForm({ sessionId }: { sessionId: string }) {
  const isSent = useRef(false);
  const sendOnce = (event: FormEvent) => {
    if (isSent.current) event.preventDefault();
    isSent.current = true;
  };
  return (
    <form method="post" action="/api/v1/payment/reveal" onSubmit={sendOnce}>
      <input type="hidden" name="session_id" value={sessionId} />
      <button type="submit" className="button">
        Show my key
      </button>
    </form>
  );
}
