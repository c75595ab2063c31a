import { listDocsSections } from "#lib/discovery/content/index";
import { listApiGroups } from "../../endpoints";

/** A section of the navigation. */
export type NavSection = { title: string; links: { href: string; title: string }[] };

/** Lists the sections of the docs, with the API reference before the sections for operators. */
export async function listNavSections(): Promise<NavSection[]> {
  const sections: NavSection[] = await listDocsSections();
  const groups = listApiGroups().map(({ slug, title }) => ({ href: `/docs/api/${slug}`, title }));
  const reference = { title: "API reference", links: [{ href: "/docs/api", title: "All operations" }, ...groups] };
  const index = sections.findIndex(({ title }) => title === "Operations");
  return index === -1 ? [...sections, reference] : sections.toSpliced(index, 0, reference);
}
