import { Link } from "../_components/link";
import styles from "./section-links.module.css";

const sections = [
  {
    href: "/replay",
    title: "Replay",
    text: "Play every cassette, scrub on its timeline, and copy the code that replays it.",
  },
  { href: "/vendors", title: "Vendors", text: "Read vendors’ llms.txt files, and see what changed." },
  { href: "/docs", title: "Docs", text: "Quickstart, HTTP API, MCP, and how to record your own cassettes." },
  { href: "/pricing", title: "Pricing", text: "Replay is free. Paid tiers add requests, diffs and webhooks." },
] as const;

/** Links to the main sections of the site. */
export function SectionLinks() {
  return (
    <nav aria-label="Sections" className={styles.sections}>
      <ul>
        {sections.map(({ href, title, text }) => (
          <li key={href}>
            <Link href={href}>
              <strong>{title}</strong>
              <span>{text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
