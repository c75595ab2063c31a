import type { ComponentProps } from "react";
import styles from "./button.module.css";
import { Link } from "./link";

/** One primary action a view; the others are secondary, and quiet ones stand in rows of controls. */
export type ButtonVariant = "primary" | "secondary" | "quiet";

type Dress = { variant?: ButtonVariant };

function classOf(variant: ButtonVariant, className = ""): string {
  return [styles.button, styles[variant], className].filter(Boolean).join(" ");
}

export function Button({
  variant = "secondary",
  className,
  type = "button",
  ...rest
}: ComponentProps<"button"> & Dress) {
  return <button {...rest} type={type} className={classOf(variant, className)} />;
}

/** A link that looks like a button. Addresses of files and of the API are plain links: they are no pages. */
export function ButtonLink({
  variant = "secondary",
  className,
  href,
  ...rest
}: ComponentProps<"a"> & Dress & { href: string }) {
  const isPage = href.startsWith("/") && !/^\/api\/|\.[a-z]+$/.test(href);
  const dress = classOf(variant, className);
  return isPage ? <Link {...rest} href={href} className={dress} /> : <a {...rest} href={href} className={dress} />;
}
