import NextLink from "next/link";
import type { ComponentProps } from "react";

/**
 * A link within the site. Nothing is fetched ahead: pages are drawn for each request, so that only the frame around them
 * could be, which is there already.
 */
export function Link(props: Omit<ComponentProps<typeof NextLink>, "prefetch">) {
  return <NextLink {...props} prefetch={false} />;
}
