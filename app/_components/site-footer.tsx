import { Link } from "./link";
import styles from "./site-footer.module.css";
import { ThemeSwitch } from "./theme-switch";

const pages = [
  { href: "/docs", text: "Docs" },
  { href: "/pricing", text: "Pricing" },
  { href: "/vendors", text: "Vendors" },
  { href: "/changes", text: "Changes" },
  { href: "/status", text: "Status" },
  { href: "/changelog", text: "Changelog" },
  { href: "/key", text: "Your key" },
] as const;

const documents = [
  { href: "/llms.txt", text: "llms.txt" },
  { href: "/openapi.json", text: "OpenAPI" },
  { href: "/feed.xml", text: "Atom" },
  { href: "/feed.json", text: "JSON Feed" },
] as const;

export function SiteFooter() {
  return (
    <footer className={styles.footer}>
      <div className={styles.inner}>
        <div className={styles.note}>
          <p>
            Replay needs no key and spends no tokens. Cassettes marked “authored” were written for this project: no
            model wrote them, and their timing is synthetic.
          </p>
          <ThemeSwitch />
        </div>
        <nav aria-label="Pages">
          <ul>
            {pages.map(({ href, text }) => (
              <li key={href}>
                <Link href={href}>{text}</Link>
              </li>
            ))}
          </ul>
        </nav>
        <nav aria-label="For programs">
          <ul>
            {documents.map(({ href, text }) => (
              <li key={href}>
                <a href={href}>{text}</a>
              </li>
            ))}
            <li>
              <Link href="/docs/mcp">MCP</Link>
            </li>
          </ul>
        </nav>
      </div>
    </footer>
  );
}
