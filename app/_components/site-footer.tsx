import { Link } from "./link";
import styles from "./site.module.css";
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
  { href: "/docs/mcp", text: "MCP" },
] as const;

type FooterLinksProps = { label: string; links: readonly { href: string; text: string }[] };

function FooterLinks({ label, links }: FooterLinksProps) {
  return (
    <nav aria-label={label}>
      <ul>
        {links.map(({ href, text }) => (
          <li key={href}>{href.includes(".") ? <a href={href}>{text}</a> : <Link href={href}>{text}</Link>}</li>
        ))}
      </ul>
    </nav>
  );
}

export function SiteFooter() {
  return (
    <footer className={styles.footer}>
      <div className={styles.width}>
        <div className={styles.note}>
          <p>
            Replay needs no key and spends no tokens. Cassettes marked “authored” were written for this project: no
            model wrote them, and their timing is synthetic.
          </p>
          <ThemeSwitch />
        </div>
        <FooterLinks label="Pages" links={pages} />
        <FooterLinks label="For programs" links={documents} />
      </div>
    </footer>
  );
}
