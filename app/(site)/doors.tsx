import { Link } from "../_components/link";
import styles from "./doors.module.css";

const doors = [
  {
    href: "/replay",
    title: "Replay",
    text: "Watch every cassette, scrub on its tape, and copy the code that plays it.",
  },
  { href: "/vendors", title: "Vendors", text: "What the llms.txt files of vendors say, and what they changed." },
  { href: "/docs", title: "Docs", text: "Quickstart, the HTTP interface, MCP, and how to record your own." },
  { href: "/pricing", title: "Pricing", text: "Replay is free. A key buys more requests, diffs and webhooks." },
] as const;

/** Where to go from here. */
export function Doors() {
  return (
    <nav aria-label="Where to go" className={styles.doors}>
      <ul>
        {doors.map(({ href, title, text }) => (
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
