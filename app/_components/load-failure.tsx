import { headers } from "next/headers";
import type { ReactNode } from "react";
import type { AppError } from "#lib/platform/errors";
import { pathHeader } from "#lib/server/http/page-headers";
import { NotFoundContent } from "./not-found-content";
import { Notice } from "./notice";

type Props = {
  error: AppError;
  /** Header of the page if its data exists but could not be loaded. */
  header: ReactNode;
  /** Title of the message in that case. */
  title: string;
};

/** Title of a page without data. */
export function failureTitle({ code }: AppError, otherwise: string): string {
  return code === "not_found" ? "Page not found" : otherwise;
}

/** What a page shows whose data `loadPageData` could not load: the content of the 404 page, or why it failed. */
export async function LoadFailure({ error, header, title }: Props) {
  return (
    <>
      <meta name="robots" content="noindex" />
      {error.code === "not_found" ? (
        <NotFoundContent path={(await headers()).get(pathHeader) ?? "/"} />
      ) : (
        <>
          {header}
          <Notice tone="error" title={title}>
            <p>{error.message}</p>
          </Notice>
        </>
      )}
    </>
  );
}
