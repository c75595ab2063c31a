import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

/** Groups of pages, in the navigation's order. */
const sections = ["Start", "Replay", "Vendor tracking", "Reference", "Operations", "Decisions"] as const;

/** Front matter of a page in content/docs. */
const frontMatterSchema = z.strictObject({
  title: z.string().min(1).max(80),
  description: z.string().min(1).max(200),
  section: z.enum(sections).default("Reference"),
  /** Place in the section; pages without one come last, by title. */
  order: z.int().min(0).optional(),
});

/** One page of content/docs: the source of the rendered page, its raw markdown and the discovery files. */
export type Page = z.infer<typeof frontMatterSchema> & {
  /** Path under /docs without a slash in front; empty for the overview. */
  slug: string;
  /** Markdown without its front matter. */
  markdown: string;
};

const folder = join(process.cwd(), "content/docs");
/** Most pages that are read. */
const maxPageCount = 500;

function parsePage(path: string, text: string): Page {
  const match = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text.replaceAll("\r\n", "\n"));
  if (!match) throw new Error(`content/docs/${path} has no front matter`);
  const result = frontMatterSchema.safeParse(parse(match[1] as string));
  if (!result.success) throw new Error(`content/docs/${path}: ${result.error.issues[0]?.message}`);
  const slug = path
    .replaceAll("\\", "/")
    .replace(/\.md$/, "")
    .replace(/(^|\/)index$/, "");
  return { ...result.data, slug, markdown: (match[2] as string).trim() };
}

function inOrder(a: Page, b: Page): number {
  const bySection = sections.indexOf(a.section) - sections.indexOf(b.section);
  return bySection || (a.order ?? 1000) - (b.order ?? 1000) || a.title.localeCompare(b.title, "en");
}

let loading: Promise<Page[]> | undefined;

async function readPages(): Promise<Page[]> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(".md"));
  const pages = paths
    .slice(0, maxPageCount)
    .map(async (path) => parsePage(path, await readFile(join(folder, path), "utf8")));
  return (await Promise.all(pages)).sort(inOrder);
}

/** Every page, in the navigation's order; read once per process, anew at each call while developing. */
export function loadPages({ isFresh = false } = {}): Promise<Page[]> {
  if (isFresh || !loading) loading = readPages();
  return loading;
}

/** One page by its path under /docs. */
export async function findPage(slug: string): Promise<Page | undefined> {
  return (await loadPages()).find((page) => page.slug === slug);
}
