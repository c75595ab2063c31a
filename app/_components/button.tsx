import type { ComponentProps } from "react";
import styles from "./button.module.css";
import { Link } from "./link";

/** Each view has one primary action. The others are secondary; quiet buttons are for rows of controls. */
export type ButtonVariant = "primary" | "secondary" | "quiet";

type Style = { variant?: ButtonVariant };

function buttonClass(variant: ButtonVariant, className = ""): string {
  return [styles.button, styles[variant], className].filter(Boolean).join(" ");
}

export function Button({
  variant = "secondary",
  className,
  type = "button",
  ...rest
}: ComponentProps<"button"> & Style) {
  return <button {...rest} type={type} className={buttonClass(variant, className)} />;
}

/** A link that looks like a button. Links to files and the API are plain anchors, because they are not pages. */
export function ButtonLink({
  variant = "secondary",
  className,
  href,
  ...rest
}: ComponentProps<"a"> & Style & { href: string }) {
  const isPage = href.startsWith("/") && !/^\/api\/|\.[a-z]+$/.test(href);
  const classes = buttonClass(variant, className);
  return isPage ? <Link {...rest} href={href} className={classes} /> : <a {...rest} href={href} className={classes} />;
}
