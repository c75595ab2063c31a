import { Section } from "../../_components/page-parts";
import { WebLink } from "./vendor-pages";

type ListProps = { title: string; links: readonly string[]; count: number };

function LinkList({ title, links, count }: ListProps) {
  const more = count - links.length;
  return (
    <div className="stack tight">
      <h3>
        {title} <span className="muted">{count.toLocaleString("en")}</span>
      </h3>
      {count === 0 ? (
        <p className="muted">None.</p>
      ) : (
        <ul className="stack tight mono plain-list">
          {links.map((link) => (
            <li key={link}>
              <WebLink href={link} />
            </li>
          ))}
          {more > 0 && <li className="muted">and {more.toLocaleString("en")} more</li>}
        </ul>
      )}
    </div>
  );
}

type Change = {
  linksAdded: readonly string[];
  linkCountAdded: number;
  linksRemoved: readonly string[];
  linkCountRemoved: number;
};

/** The section with the links that a change added and removed. */
export function LinkChanges({ linksAdded, linkCountAdded, linksRemoved, linkCountRemoved }: Change) {
  return (
    <Section id="links" title="Links">
      {linkCountAdded + linkCountRemoved === 0 ? (
        <p className="muted">No links were added or removed.</p>
      ) : (
        <div className="columns">
          <LinkList title="Added" links={linksAdded} count={linkCountAdded} />
          <LinkList title="Removed" links={linksRemoved} count={linkCountRemoved} />
        </div>
      )}
    </Section>
  );
}
