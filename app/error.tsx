"use client";

import { Button } from "./_components/button";
import { Notice, PageHeader } from "./_components/page-parts";

/** Shown if a page fails to render. The cause is in the log, under the digest. */
export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <PageHeader title="Something went wrong.">
      <Notice tone="error">
        The error was logged. Try again. If it keeps happening, contact the operator of this site
        {error.digest ? ` and quote the error number ${error.digest}` : " and describe what you did"}.
      </Notice>
      <p>
        <Button variant="primary" onClick={reset}>
          Try again
        </Button>
      </p>
    </PageHeader>
  );
}
