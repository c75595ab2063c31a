import { listDocsSections } from "#lib/discovery/content/index";
import { listApiGroups } from "../../endpoints";

/** A part of the navigation. */
export type NavSection = { title: string; links: { href: string; title: string }[] };

/** The docs' sections, the API reference before those for operators. */
export async function docsSections(): Promise<NavSection[]> {
  const sections: NavSection[] = await listDocsSections();
  const groups = listApiGroups().map(({ slug, title }) => ({ href: `/docs/api/${slug}`, title }));
  const reference = { title: "API reference", links: [{ href: "/docs/api", title: "All operations" }, ...groups] };
  const at = sections.findIndex(({ title }) => title === "Operations");
  return at === -1 ? [...sections, reference] : sections.toSpliced(at, 0, reference);
}
