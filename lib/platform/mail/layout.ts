import { escapeMarkup } from "../escape-markup";
import type { Mail } from "./mailer";

type LinkMail = {
  to: string;
  messageId: string;
  subject: string;
  title: string;
  /** What was asked for, as text. */
  what: string;
  url: string;
  /** Label of the link, which is a button where the program shows HTML. */
  label: string;
  /** How long the link is valid, and what to do with a mail that was not asked for, as text. */
  note: string;
};

/** Returns a mail with one link, whose page has a button. Its texts must not contain text that a user wrote. */
export function linkMail({ title, what, url, label, note, ...mail }: LinkMail): Mail {
  const parts = [
    element("p", "text", escapeMarkup(what)),
    element("p", "text", link(url, label, "button")),
    element("p", "foot", escapeMarkup(note)),
  ];
  const text = `${what}\n\nOpen this page and press its button:\n${url}\n\n${note}\n`;
  return { ...mail, text, html: layout(title, parts.join("\n")) };
}

/** Styles by role: those of the light theme inline, because some mail programs drop style sheets. */
const styles = {
  page: "margin:0;padding:32px 20px;background:#faf8f4;color:#17150f;font:16px/1.55 system-ui,-apple-system,'Segoe UI',sans-serif",
  box: "max-width:600px;margin:0 auto",
  brand: "margin:0 0 24px;font-size:14px;font-weight:600;letter-spacing:0.02em;color:#6b665a",
  title: "margin:0 0 24px;font-size:24px;line-height:1.25;font-weight:600",
  item: "margin:0 0 16px;padding:16px 20px;background:#ffffff;border:1px solid #e4dfd3;border-radius:8px",
  name: "margin:0;font-size:17px;line-height:1.4;font-weight:600",
  note: "margin:2px 0 8px;font-size:13px;color:#6b665a",
  text: "margin:0 0 12px;overflow-wrap:anywhere",
  link: "color:#b0361a",
  button:
    "display:inline-block;padding:12px 20px;background:#b0361a;border-radius:6px;color:#ffffff;font-weight:600;text-decoration:none",
  foot: "margin:24px 0 0;padding:16px 0 0;border-top:1px solid #e4dfd3;font-size:13px;color:#6b665a",
} as const;

type Role = keyof typeof styles;

const darkStyles = `@media (prefers-color-scheme: dark) {
.page { background: #12110e !important; color: #f1ede3 !important }
.item { background: #1b1915 !important; border-color: #2e2a23 !important }
.brand, .note, .foot { color: #a39c8c !important; border-color: #2e2a23 !important }
.link { color: #ff7a50 !important }
.button { background: #ff7a50 !important; color: #12110e !important }
}`;

/** Returns an element. `content` is HTML; use `escapeMarkup` for text. */
export function element(tag: string, role: Role, content: string, attributes = ""): string {
  return `<${tag} class="${role}" style="${styles[role]}"${attributes}>${content}</${tag}>`;
}

/** Returns a link. `href` and `label` are text. */
export function link(href: string, label: string, role: "link" | "button" = "link"): string {
  return element("a", role, escapeMarkup(label), ` href="${escapeMarkup(href)}"`);
}

/** Returns the HTML of a mail. `title` is text, `content` HTML. It loads nothing. */
export function layout(title: string, content: string): string {
  const body = `${element("p", "brand", "Tapedeck")}
${element("h1", "title", escapeMarkup(title))}
${content}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeMarkup(title)}</title>
<style>:root { color-scheme: light dark }
${darkStyles}</style>
</head>
${element("body", "page", `\n${element("main", "box", `\n${body}\n`)}\n`)}
</html>
`;
}
