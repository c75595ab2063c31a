import NextLink from "next/link";
import type { ComponentProps } from "react";

/**
 * A link within the site, without prefetching: pages are rendered for each request, so only the layout around them could
 * be prefetched, and it is already loaded.
 */
export function Link(props: Omit<ComponentProps<typeof NextLink>, "prefetch">) {
  return <NextLink {...props} prefetch={false} />;
}
