"use client";

import { Failure } from "./_components/failure";

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return <Failure digest={error.digest} retry={reset} />;
}
