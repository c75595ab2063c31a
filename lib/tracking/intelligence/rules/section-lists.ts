import type { Analysis } from "../analysis";
import type { Facts } from "./read-facts";

/** Sections that each of a report's lists names at most. */
const maxSectionCount = 50;

/** Paths, each once; neither empty nor too many. */
export function boundedPaths(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => path !== "").slice(0, maxSectionCount);
}

type SectionLists = Pick<Analysis, "sectionsAdded" | "sectionsRemoved" | "sectionsModified">;

/** The sections that came, went and changed within; a renamed or moved one is modified, under its new path. */
export function listSections({ sections, lines, outline }: Facts): SectionLists {
  const sectionsAdded = boundedPaths(sections.added.map(({ path }) => path));
  const sectionsRemoved = boundedPaths(sections.removed.map(({ path }) => path));
  const newPaths = new Map([...sections.renamed, ...sections.moved].map(({ from, to }) => [from, to]));
  const changed = [
    ...[...sections.renamed, ...sections.moved].map(({ to }) => to),
    ...lines.added.map(({ path }) => path || outline.title),
    ...lines.removed.map(({ path }) => newPaths.get(path) ?? (path || outline.title)),
  ];
  const apart = new Set([...sections.added, ...sections.removed].map(({ path }) => path));
  return { sectionsAdded, sectionsRemoved, sectionsModified: boundedPaths(changed.filter((path) => !apart.has(path))) };
}
